import { escapeJson } from './json-line.js'
import type { FetchInit, FetchLike } from '../index.js'

export interface SentRequest {
  readonly url: string
  readonly init: FetchInit
}

/**
 * A `fetch` that sends nothing and keeps the requests, so that what is printed is the very request that the client would
 * send. Whatever the client reads before is answered as if it were empty.
 *
 * @param key the counter or list that the call is about
 */
export function createRecordingFetch(key: string): { readonly fetch: FetchLike; readonly requests: SentRequest[] } {
  const requests: SentRequest[] = []
  const list = { name: key, capacity: '0', count: '0', values: [] }
  const gameServer = { object_meta: {}, status: { state: '', lists: { [key]: list } } }
  return {
    requests,
    fetch: (url, init) => {
      requests.push({ url, init })
      const body = JSON.stringify(url.endsWith('/gameserver') ? gameServer : list)
      return Promise.resolve({ status: 200, headers: { get: () => null }, text: () => Promise.resolve(body) })
    },
  }
}

/** The request as a command for a POSIX shell. */
export function curlCommand({ url, init }: SentRequest): string {
  const headers = Object.entries(init.headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`)
  const body = init.body === undefined ? [] : [`-d ${quote(escapeJson(init.body))}`]
  const method = init.method === 'GET' ? [] : [`-X ${init.method}`]
  // Brackets of an IPv6 address would be taken for a range.
  const glob = url.includes('[') ? ['-g'] : []
  return ['curl -sS', ...glob, ...method, ...headers, ...body, quote(url)].join(' ')
}

/** One word for a POSIX shell, whatever the text holds. */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
