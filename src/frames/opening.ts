import { bytesOf } from './bytes.js'
import { TOKEN } from './http-head.js'

/** Groups: `s` of a secure one; host and port together; an IPv6 address; another host; the port; the path without `/`. */
const URL = /^ws(s?):\/\/((?:\[([\w:.]+)]|([\w.-]+))(?::(\d+))?)(?:\/|$|(?=\?))([!"$-~]*)$/i

/** The connection to open, and the request to send over it. */
export interface Opening {
  readonly target: { readonly secure: boolean; readonly host: string; readonly port: number }
  readonly request: Uint8Array
}

/** @throws SyntaxError for a URL or subprotocols that can't be used */
export function openingFor(url: string, protocols: readonly string[], key: string): Opening {
  const [, s, authority, address, name, digits, path] = URL.exec(url) ?? []
  const secure = s !== ''
  const port = Number(digits ?? (secure ? 443 : 80))
  if (authority === undefined || port > 65535) {
    throw new SyntaxError(`The URL must be ws:// or wss:// with a host, in ASCII, without a fragment; got ${url}`)
  }
  protocols.forEach((protocol, at) => {
    if (!TOKEN.test(protocol)) throw new SyntaxError(`A subprotocol must be a token of HTTP; got "${protocol}"`)
    if (protocols.indexOf(protocol) < at) throw new SyntaxError(`The subprotocol "${protocol}" is there twice`)
  })
  const lines = [
    `GET /${path} HTTP/1.1`,
    `Host: ${authority}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${key}`,
  ]
  if (protocols.length > 0) lines.push(`Sec-WebSocket-Protocol: ${protocols.join(', ')}`)
  return {
    target: { secure, host: address ?? name!, port },
    request: bytesOf(`${lines.join('\r\n')}\r\n\r\n`),
  }
}
