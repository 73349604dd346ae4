import { acceptOf, createKey } from './accept-key.js'
import { bytesOf } from './bytes.js'
import { parseHeaders, statusOf, TOKEN } from './http-head.js'
import type { RandomByte } from './random.js'

/** Groups: `s` of a secure one; host and port together; an IPv6 address; another host; the port; the path without `/`. */
const URL = /^ws(s?):\/\/((?:\[([\w:.]+)]|([\w.-]+))(?::(\d+))?)(?:\/|$|(?=\?))([!"$-~]*)$/i

/** Header fields that may appear only once. */
const SINGLE = ['sec-websocket-accept', 'sec-websocket-protocol', 'upgrade']

export type Handshake = ReturnType<typeof createHandshake>

/**
 * The opening of one connection.
 * @throws SyntaxError for a URL or subprotocols that can't be used
 */
export function createHandshake(url: string, protocols: readonly string[], randomByte: RandomByte) {
  const [, s, authority, address, name, digits, path] = URL.exec(url) ?? []
  const secure = s !== ''
  const port = Number(digits ?? (secure ? 443 : 80))
  if (authority === undefined || port > 65535) {
    throw new SyntaxError(`The URL must be ws:// or wss:// with a host, in ASCII, without a fragment; got ${url}`)
  }
  protocols.forEach((protocol, at) => {
    if (TOKEN.test(protocol) && protocols.indexOf(protocol) === at) return
    throw new SyntaxError(`Subprotocols must be different tokens of HTTP; got "${protocol}"`)
  })
  const key = createKey(randomByte)
  const lines = [
    `GET /${path} HTTP/1.1`,
    `Host: ${authority}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${key}`,
  ]
  if (protocols.length > 0) lines.push(`Sec-WebSocket-Protocol: ${protocols.join(', ')}`)
  let chosen = ''
  return {
    target: { secure, host: address ?? name!, port },
    request: bytesOf(`${lines.join('\r\n')}\r\n\r\n`),
    /** The subprotocol that the server chose, or ''. */
    protocol: () => chosen,
    /**
     * Checks the server's answer by RFC 6455, section 4.1, and refuses a server that ignores the subprotocols asked for,
     * as pages do.
     * @param head with its status line and its empty line
     * @returns true, or what is wrong
     */
    check(head: string): true | string {
      const fields = parseHeaders(head)
      if (typeof fields === 'string') return fields
      const value = (name: string): string => fields.get(name)?.join(', ') ?? ''
      chosen = value('sec-websocket-protocol')
      const checks: readonly (readonly [isWrong: boolean, problem: string])[] = [
        [statusOf(head) !== '101', 'the status'],
        ...SINGLE.map((name) => [(fields.get(name)?.length ?? 0) > 1, `more than one header ${name}`] as const),
        [value('upgrade').toLowerCase() !== 'websocket', 'the header Upgrade is not "websocket"'],
        [!/(^|,)[\t ]*upgrade[\t ]*(,|$)/i.test(value('connection')), 'the header Connection does not name "Upgrade"'],
        [value('sec-websocket-accept') !== acceptOf(key), 'Sec-WebSocket-Accept does not answer the key'],
        [fields.has('sec-websocket-extensions'), 'an extension, and none was asked for'],
        [
          fields.has('sec-websocket-protocol') ? !protocols.includes(chosen) : protocols.length > 0,
          `${protocols.length > 0 ? 'none of the subprotocols that were' : 'a subprotocol, and none was'} asked for`,
        ],
      ]
      return checks.find(([isWrong]) => isWrong)?.[1] ?? true
    },
  }
}
