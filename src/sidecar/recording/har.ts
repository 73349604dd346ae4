import { operations } from '../../protocol/operations.js'
import type { LogEntry } from '../log-entry.js'
import type { Call } from '../model/state/sidecar-event.js'
import type { Exchange, RequestRecord } from '../wire/exchange.js'

/** The start of an HTTP Archive (HAR 1.2); its entries come between this and `harEnd`, with commas between them. */
export const harStart = (version: string): string =>
  `{"log":{"version":"1.2","creator":{"name":"gameserver-sidecar","version":${JSON.stringify(version)}},"entries":[`
export const harEnd = ']}}'

/** An entry of the log as one of an HTTP Archive; undefined for what is no request. */
export function harEntry(entry: LogEntry, exchange: Exchange | undefined, base: string): object | undefined {
  const { event, ms = 0, at, client, reply } = entry
  const request =
    exchange?.request ??
    (event.type === 'call'
      ? requestOf(event.call)
      : event.type === 'refused'
        ? { method: event.method, target: event.path, headers: {}, body: '' }
        : undefined)
  if (request === undefined) return undefined
  const response = exchange?.response
  const status = response?.status ?? reply?.status ?? (event.type === 'refused' ? event.status : 0)
  const body = response?.body ?? ''
  const mimeType = request.headers['content-type'] ?? 'application/json'
  return {
    startedDateTime: new Date(at - ms).toISOString(),
    time: ms,
    request: {
      method: request.method,
      url: base + request.target,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(request.headers),
      queryString: pairs(Object.fromEntries(new URLSearchParams(request.target.split('?')[1] ?? ''))),
      headersSize: -1,
      bodySize: request.bodyBytes ?? request.body.length,
      ...(request.body === '' ? {} : { postData: { mimeType, text: request.body } }),
    },
    response: {
      status,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(response?.headers ?? {}),
      content: {
        size: response?.bodyBytes ?? body.length,
        mimeType: response?.headers['content-type'] ?? 'application/json',
        text: body,
      },
      redirectURL: '',
      headersSize: -1,
      bodySize: response?.bodyBytes ?? body.length,
    },
    cache: {},
    timings: { send: 0, wait: ms, receive: 0 },
    ...(client === undefined ? {} : { comment: client }),
  }
}

/** A request that makes a call, for a call whose request isn't kept. */
export function requestOf(call: Call): RequestRecord {
  const [method, path] = operations[call.operation]
  const { operation, ...fields } = call
  const key = 'key' in call ? call.key : ''
  const target = path.replace('{key}', encodeURIComponent(key.replace(/\p{Cs}/gu, '\ufffd')))
  const headers = { 'content-type': 'application/json' }
  if (method === 'GET') return { method, target, headers: {}, body: '' }
  if (operation === 'health') return { method, target, headers, body: '{}'.repeat('beats' in call ? call.beats : 1) }
  const { mask, ...sent } = fields as Readonly<Record<string, unknown>>
  // A name in the path is none of the body; a label's or an annotation's key is.
  if (path.includes('{key}')) delete (sent as Record<string, unknown>)['key']
  const kept = Array.isArray(mask)
    ? Object.fromEntries(Object.entries(sent).filter(([name]) => mask.includes(name)))
    : sent
  const query = Array.isArray(mask) && mask.length > 0 ? `?updateMask=${encodeURIComponent(mask.join(','))}` : ''
  return { method, target: target + query, headers, body: JSON.stringify(kept) }
}

const pairs = (fields: Readonly<Record<string, string>>): { name: string; value: string }[] =>
  Object.entries(fields).map(([name, value]) => ({ name, value }))
