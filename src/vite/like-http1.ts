import type { IncomingMessage } from 'node:http'

/** Gives an HTTP/2 request, as Vite gets them over TLS, the headers that it would have over HTTP/1. */
export function likeHttp1(message: IncomingMessage): IncomingMessage {
  const { ':authority': host = '', ...others } = message.headers as Record<string, string>
  const raw: string[] = ['host', host]
  for (let i = 0; i + 1 < message.rawHeaders.length; i += 2) {
    const name = message.rawHeaders[i]!
    if (!name.startsWith(':')) raw.push(name, message.rawHeaders[i + 1]!)
  }
  const headers = Object.fromEntries(Object.entries({ ...others, host }).filter(([name]) => !name.startsWith(':')))
  const isRead = message.method === 'GET' || message.method === 'HEAD'
  // Over HTTP/1, this header announces a body of unknown length.
  if (!isRead && headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked'
  return Object.defineProperties(message, {
    headers: { value: headers, writable: true },
    rawHeaders: { value: raw },
  })
}
