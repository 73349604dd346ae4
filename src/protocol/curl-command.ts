import { escapeJson } from './plain-text.js'

export interface ShownRequest {
  readonly url: string
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON. */
  readonly body?: string | undefined
}

/** The command for a POSIX shell that sends a request. */
export function curlCommand({ url, method, headers = {}, body }: ShownRequest): string {
  // Without --globoff, brackets in a URL are patterns; --data-raw takes a leading @ as it is.
  const words = ['curl -sS --globoff -X', quote(method)]
  for (const [name, value] of Object.entries(headers)) words.push('-H', quote(`${name}: ${value}`))
  if (body !== undefined) words.push('--data-raw', quote(escapeJson(body)))
  return [...words, quote(url)].join(' ')
}

/** Text as one word. Invisible characters are encoded, which only the URL of a refused request may have. */
const quote = (text: string): string =>
  `'${text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, encodeURIComponent).replace(/'/g, String.raw`'\''`)}'`
