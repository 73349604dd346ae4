import { acceptOf } from './accept-key.js'
import { encodeUtf8 } from './utf8.js'

/** Secure; host and port; the host, an IPv6 address or otherwise; the port; the path but its first slash. */
const URL = /^ws(s?):\/\/((?:\[([\w:.]+)]|([\w.-]+))(?::(\d+))?)(?:\/|$|(?=\?))([!"$-~]*)$/i
/** Tokens of HTTP. */
const PROTOCOLS = /^([!#-'*+.\w^`|~-]+(, |$))*$/

/**
 * Whom to dial, and the request to send; `protocols` as a header has them.
 * @throws SyntaxError
 */
export const requestFor = (
  url: string,
  protocols: string,
  key: string,
): [target: { secure: boolean; host: string; port: number }, request: Uint8Array] => {
  const [, s, authority, v6, host = v6!, port = s ? 443 : 80, path] = URL.exec(url) || []
  if (!authority || !PROTOCOLS.test(protocols)) throw SyntaxError(url)
  return [
    { secure: !!s, host, port: +port },
    encodeUtf8(
      `GET /${path} HTTP/1.1\r\nHost: ${authority}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n${
          protocols && `Sec-WebSocket-Protocol: ${protocols}\r\n`
        }\r\n`,
    ),
  ]
}

/** The subprotocol that the server chose, '' for none; `undefined` if the head doesn't answer the request. */
export const protocolOf = (head: string, key: string, protocols: string): string | undefined => {
  const header = (name: string): string =>
    (RegExp(`\nSec-WebSocket-${name}: *(.*?)\\s*\r`, 'i').exec(head) || ['', ''])[1]!
  const protocol = header('Protocol')
  return /^HTTP\/1\.1 101 [^]*\nUpgrade: *websocket\s/i.test(head) &&
    /\nConnection:.*\bUpgrade\b/i.test(head) &&
    header('Accept') === acceptOf(key) &&
    !header('Extensions') &&
    (!protocol || protocols.split(', ').includes(protocol))
    ? protocol
    : undefined
}
