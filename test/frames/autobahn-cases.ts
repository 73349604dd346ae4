/** Cases of the Autobahn testsuite for clients, as data: what a server sends, and what comes of it. */
import { close, closePayload, fragments, frame, latin, repeat, text, utf8 } from '../support/frames.js'

/** What the server must get back: echoes of messages and answers to pings. */
export type Reply = readonly [opcode: 1 | 2 | 10, payload: Uint8Array]

export interface AutobahnCase {
  /** The testsuite's number. */
  readonly id: string
  /** What the server sends. */
  readonly bytes: readonly Uint8Array[]
  readonly replies: readonly Reply[]
  /**
   * - `server`: all was right; the server closes with 1000 once it has the replies, and the client does too;
   * - `closed`: the server's bytes hold a close frame; the client answers with this code (1005: none);
   * - `refused`: the client fails the connection with this code.
   */
  readonly end: 'server' | 'closed' | 'refused'
  readonly code: number
  /** The client must have failed after so many of `bytes`, before it sees the next. */
  readonly failsAfter?: number | undefined
}

type Bytes = AutobahnCase['bytes']
type Replies = AutobahnCase['replies']

const passes = (id: string, bytes: Bytes, replies: Replies): AutobahnCase => {
  return { id, bytes, replies, end: 'server', code: 1000 }
}
const closed = (id: string, bytes: Bytes, code: number, replies: Replies = []): AutobahnCase => {
  return { id, bytes, replies, end: 'closed', code }
}
const refused = (id: string, bytes: Bytes, replies: Replies = [], code = 1002, failsAfter?: number): AutobahnCase => {
  return { id, bytes, replies, end: 'refused', code, failsAfter }
}

const bytesOf = (payload: string | Uint8Array): Uint8Array => (typeof payload === 'string' ? utf8(payload) : payload)
const ping = (payload: string | Uint8Array = ''): Uint8Array => frame(9, bytesOf(payload))
const pong = (payload: string | Uint8Array = ''): Reply => [10, bytesOf(payload)]
const echo = (payload: string | Uint8Array): Reply => [1, bytesOf(payload)]
const more = (opcode: number, payload: string | Uint8Array): Uint8Array =>
  frame(opcode, bytesOf(payload), { fin: false })
const last = (payload: string | Uint8Array): Uint8Array => frame(0, bytesOf(payload))

const HELLO = utf8('Hello, world!')
const BINARY = latin('\x00\xff\xfe\xfd\xfc\xfb\x00\xff')
const serverClose = close(1000)

const framing = [0, 125, 126, 127, 128, 65535, 65536].flatMap((length, i) => [
  passes(`1.1.${i + 1}`, [text(repeat('*', length))], [echo(repeat('*', length))]),
  passes(`1.2.${i + 1}`, [frame(2, repeat('\xfe', length))], [[2, repeat('\xfe', length)]]),
])

const tenPings = Array.from({ length: 10 }, (_, i) => `payload-${i}`)
const unasked = frame(10, utf8('unsolicited pong payload'))
const pings = [
  passes('2.1', [ping()], [pong()]),
  passes('2.2', [ping(HELLO)], [pong(HELLO)]),
  passes('2.3', [ping(BINARY)], [pong(BINARY)]),
  passes('2.4', [ping(repeat('\xfe', 125))], [pong(repeat('\xfe', 125))]),
  refused('2.5', [ping(repeat('\xfe', 126))]),
  closed('2.7', [frame(10), serverClose], 1000),
  closed('2.8', [unasked, serverClose], 1000),
  passes('2.9', [unasked, ping('ping payload')], [pong('ping payload')]),
  passes('2.10', tenPings.map(ping), tenPings.map(pong)),
]

const reserved = [
  refused('3.1', [text(HELLO, { rsv: 1 })]),
  ...[2, 3, 4].map((rsv) => refused(`3.${rsv}`, [text(HELLO), text(HELLO, { rsv }), ping()], [echo(HELLO)])),
  refused('3.5', [frame(2, BINARY, { rsv: 5 })]),
  refused('3.6', [frame(9, HELLO, { rsv: 6 })]),
  refused('3.7', [frame(8, latin(''), { rsv: 7 })]),
]

const opcodes = [3, 11].flatMap((first, i) => [
  refused(`4.${i + 1}.1`, [frame(first)]),
  refused(`4.${i + 1}.2`, [frame(first + 1, utf8('reserved opcode payload'))]),
  ...[2, 3, 4].map((next) =>
    refused(`4.${i + 1}.${next + 1}`, [text(HELLO), frame(first + next, HELLO), ping()], [echo(HELLO)]),
  ),
])

const fragmentation = [
  refused('5.1', [more(9, 'fragment1'), last('fragment2')]),
  refused('5.2', [more(10, 'fragment1'), last('fragment2')]),
  passes('5.3', [more(1, 'fragment1'), last('fragment2')], [echo('fragment1fragment2')]),
  passes('5.6', [more(1, 'one'), ping('between'), last('two')], [pong('between'), echo('onetwo')]),
  refused('5.9', [last('non-continuation payload'), text(HELLO)]),
  refused('5.12', [more(0, 'non-continuation payload'), text(HELLO)]),
  refused('5.15', [more(1, 'one'), last('two'), more(0, 'three'), text('four')], [echo('onetwo')]),
  refused('5.18', [more(1, 'fragment1'), text('fragment2')]),
  passes(
    '5.20',
    [more(1, 'a'), more(0, 'b'), ping('pongme 1!'), more(0, 'c'), more(0, 'd'), ping('pongme 2!'), last('e')],
    [pong('pongme 1!'), pong('pongme 2!'), echo('abcde')],
  ),
]

const GREEK = '\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5'
const MIXED = 'Hello-µ@ßöäüàá-UTF-8!!'
const surrogate = latin(GREEK + '\xed\xa0\x80edited')
/** Beyond the last code point, which its second byte says already. */
const TOO_LARGE = `${GREEK}\xf4\x90\x80\x80edited`
const inFrames = (...cuts: number[]): Uint8Array[] =>
  [0, ...cuts].map((from, i) => frame(i ? 0 : 1, latin(TOO_LARGE.slice(from, cuts[i])), { fin: i === cuts.length }))
const inChops = (...cuts: number[]): Uint8Array[] => {
  const whole = text(latin(TOO_LARGE))
  return [0, ...cuts].map((from, i) => whole.subarray(i && from + 2, i < cuts.length ? cuts[i]! + 2 : undefined))
}

/** Without families 6.5 to 6.23, single sequences of bytes, which the test of all edge bytes holds. */
export const utf8Cases: readonly AutobahnCase[] = [
  passes('6.1.1', [text('')], [echo('')]),
  passes('6.1.2', [more(1, ''), more(0, ''), frame(0)], [echo('')]),
  passes('6.1.3', [more(1, ''), more(0, 'middle frame payload'), frame(0)], [echo('middle frame payload')]),
  passes('6.2.1', [text(MIXED)], [echo(MIXED)]),
  passes('6.2.2', [more(1, 'Hello-µ@ßöä'), last('üàá-UTF-8!!')], [echo(MIXED)]),
  passes('6.2.3', [fragments(1, utf8(MIXED), 1)], [echo(MIXED)]),
  passes('6.2.4', [fragments(1, latin(GREEK), 1)], [echo(latin(GREEK))]),
  refused('6.3.1', [text(surrogate)], [], 1007),
  refused('6.3.2', [fragments(1, surrogate, 1)], [], 1007),
  // The suite calls these passed "non-strictly" if the third part is needed to fail; here it must not be.
  refused('6.4.1', inFrames(11, 15), [], 1007, 2),
  refused('6.4.2', inFrames(12, 13), [], 1007, 2),
  refused('6.4.3', inChops(11, 15), [], 1007, 2),
  refused('6.4.4', inChops(12, 13), [], 1007, 2),
]

const block = repeat('BAsd7&jh23', 256 * 1024)
const closing = [
  passes('7.1.1', [text(HELLO)], [echo(HELLO)]),
  closed('7.1.2', [serverClose, frame(8)], 1000),
  closed('7.1.3', [serverClose, ping()], 1000),
  closed('7.1.4', [serverClose, text(HELLO)], 1000),
  closed('7.1.5', [more(1, 'fragment1'), serverClose, last('fragment2')], 1000),
  // Informational there; a reader that takes all in order echoes both messages.
  closed('7.1.6', [text(block), text(HELLO), serverClose, ping()], 1000, [echo(block), echo(HELLO)]),
  closed('7.3.1', [frame(8)], 1005),
  refused('7.3.2', [frame(8, utf8('a'))]),
  closed('7.3.3', [serverClose], 1000),
  closed('7.3.4', [close(1000, HELLO)], 1000),
  closed('7.3.5', [close(1000, '*'.repeat(123))], 1000),
  refused('7.3.6', [frame(8, closePayload(1000, '*'.repeat(124)))]),
  refused('7.5.1', [close(1000, surrogate)], [], 1007),
  ...[1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999].map((code, i) =>
    closed(`7.7.${i + 1}`, [close(code)], code),
  ),
  ...[0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999].map((code, i) => refused(`7.9.${i + 1}`, [close(code)])),
  // Undefined by the RFC, informational there; refused here.
  refused('7.13.1', [close(5000)]),
  refused('7.13.2', [close(65535)]),
]

const MI = 1024 * 1024
/** Of each kind the size that says most: all others differ in how long they take. */
const large = (
  [
    ['9.1.4', 1, 'BAsd7&jh23', 4 * MI, 4 * MI],
    ['9.2.6', 2, '\x00\xfe\x23\xfa\xf0', 16 * MI, 16 * MI],
    ['9.3.2', 1, '*', 4 * MI, 256],
    ['9.4.3', 2, '*', 4 * MI, 1024],
    ['10.1.1', 1, '*', 65536, 1300],
  ] as const
).map(([id, opcode, payload, length, size]) =>
  passes(id, [fragments(opcode, repeat(payload, length), size)], [[opcode, repeat(payload, length)]]),
)
const many = passes(
  '9.7.4',
  Array<Uint8Array>(1000).fill(text('*'.repeat(256))),
  Array<Reply>(1000).fill(echo('*'.repeat(256))),
)

export const otherCases: readonly AutobahnCase[] = [framing, pings, reserved, opcodes, fragmentation, closing].flat()
export const largeCases: readonly AutobahnCase[] = [...large, many]
