import { SAFE_HEADERS } from '../http/raw-response.js'

/** An answer in JSON. */
export const json = (value: object, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json', ...SAFE_HEADERS, ...headers },
  })
