import { acceptOf } from './accept-key.js'
import { parseHeaders } from './http-head.js'

/** What became of a handshake: the subprotocol that the server chose, '' for none; or why it is refused. */
export type HandshakeResult = { readonly protocol: string } | { readonly problem: string }

/** Header fields of which a second one would be a second answer. */
const SINGLE = ['sec-websocket-accept', 'sec-websocket-protocol', 'upgrade']

/**
 * Checks the server's answer by RFC 6455, section 4.1, and refuses a server that ignores the subprotocols asked for, as
 * pages do.
 * @param head with its status line, which says 101, and its empty line
 * @param protocols the subprotocols that were asked for
 */
export function checkAnswer(head: string, key: string, protocols: readonly string[]): HandshakeResult {
  const fields = parseHeaders(head)
  if (typeof fields === 'string') return { problem: fields }
  const value = (name: string): string => fields.get(name)?.join(', ') ?? ''
  const protocol = value('sec-websocket-protocol')
  const checks: readonly (readonly [isWrong: boolean, problem: string])[] = [
    ...SINGLE.map((name) => [(fields.get(name)?.length ?? 0) > 1, `more than one header ${name}`] as const),
    [value('upgrade').toLowerCase() !== 'websocket', 'the header Upgrade is not "websocket"'],
    [!/(^|,)[\t ]*upgrade[\t ]*(,|$)/i.test(value('connection')), 'the header Connection does not name "Upgrade"'],
    [value('sec-websocket-accept') !== acceptOf(key), 'Sec-WebSocket-Accept does not answer the key'],
    [fields.has('sec-websocket-extensions'), 'an extension, and none was asked for'],
    [
      fields.has('sec-websocket-protocol') ? !protocols.includes(protocol) : protocols.length > 0,
      protocols.length > 0 ? 'none of the subprotocols that were asked for' : 'a subprotocol, and none was asked for',
    ],
  ]
  const problem = checks.find(([isWrong]) => isWrong)?.[1]
  return problem === undefined ? { protocol } : { problem }
}
