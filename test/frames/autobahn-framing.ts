/** Families 1 to 5 of the Autobahn testsuite: framing, pings, reserved bits, opcodes, fragmentation. */
import { type AutobahnCase, echo, HELLO, passes, ping, pong, refused, serverClose, closed } from './autobahn-case.js'
import { frame, latin, repeat, text, utf8 } from './bytes.js'

const LENGTHS: readonly [length: number, chop?: number][] = [
  [0],
  [125],
  [126],
  [127],
  [128],
  [65535],
  [65536],
  [65536, 997],
]

const framing = LENGTHS.flatMap(([length, chop], i): AutobahnCase[] => [
  passes(
    `1.1.${i + 1}`,
    () => [text(repeat('*', length))],
    () => [echo(repeat('*', length))],
    chop,
  ),
  passes(
    `1.2.${i + 1}`,
    () => [frame(2, repeat('\xfe', length))],
    () => [[2, repeat('\xfe', length)]],
    chop,
  ),
])

const BINARY = latin('\x00\xff\xfe\xfd\xfc\xfb\x00\xff')
const UNASKED = frame(10, utf8('unsolicited pong payload'))
const tenPings = Array.from({ length: 10 }, (_, i) => `payload-${i}`)

const pings: AutobahnCase[] = [
  passes('2.1', [ping()], [pong()]),
  passes('2.2', [ping(HELLO)], [pong(HELLO)]),
  passes('2.3', [ping(BINARY)], [pong(BINARY)]),
  passes('2.4', [ping(repeat('\xfe', 125))], [pong(repeat('\xfe', 125))]),
  refused('2.5', [ping(repeat('\xfe', 126))]),
  passes('2.6', [ping(repeat('\xfe', 125))], [pong(repeat('\xfe', 125))], 1),
  closed('2.7', [frame(10), serverClose], 1000),
  closed('2.8', [UNASKED, serverClose], 1000),
  passes('2.9', [UNASKED, ping('ping payload')], [pong('ping payload')]),
  passes('2.10', tenPings.map(ping), tenPings.map(pong)),
  passes('2.11', tenPings.map(ping), tenPings.map(pong), 1),
]

const heard = { replies: [echo(HELLO)] }

const reserved: AutobahnCase[] = [
  refused('3.1', [text(HELLO, { rsv: 1 })]),
  refused('3.2', [text(HELLO), text(HELLO, { rsv: 2 }), ping()], heard),
  refused('3.3', [text(HELLO), text(HELLO, { rsv: 3 }), ping()], heard),
  refused('3.4', [text(HELLO), text(HELLO, { rsv: 4 }), ping()], { ...heard, chop: 1 }),
  refused('3.5', [frame(2, BINARY, { rsv: 5 })]),
  refused('3.6', [frame(9, HELLO, { rsv: 6 })]),
  refused('3.7', [frame(8, latin(''), { rsv: 7 })]),
]

const opcodes = [3, 11].flatMap((first, family): AutobahnCase[] => {
  const id = `4.${family + 1}`
  return [
    refused(`${id}.1`, [frame(first)]),
    refused(`${id}.2`, [frame(first + 1, utf8('reserved opcode payload'))]),
    refused(`${id}.3`, [text(HELLO), frame(first + 2), ping()], heard),
    refused(`${id}.4`, [text(HELLO), frame(first + 3, HELLO), ping()], heard),
    refused(`${id}.5`, [text(HELLO), frame(first + 4, HELLO), ping()], { ...heard, chop: 1 }),
  ]
})

const more = (opcode: number, payload: string): Uint8Array => frame(opcode, utf8(payload), { fin: false })
const last = (payload: string): Uint8Array => frame(0, utf8(payload))
const [ONE, TWO, THREE, FOUR, FIVE] = ['fragment1', 'fragment2', 'fragment3', 'fragment4', 'fragment5'] as const

const inTwo = [more(1, ONE), last(TWO)]
const withPing = [more(1, ONE), ping('ping payload'), last(TWO)]
const withPingReplies = [pong('ping payload'), echo(ONE + TWO)]
const nothingToContinue = [last('non-continuation payload'), text(HELLO)]
const nothingToContinueYet = [more(0, 'non-continuation payload'), text(HELLO)]
const inFive = [
  more(1, ONE),
  more(0, TWO),
  ping('pongme 1!'),
  more(0, THREE),
  more(0, FOUR),
  ping('pongme 2!'),
  last(FIVE),
]
const inFiveReplies = [pong('pongme 1!'), pong('pongme 2!'), echo(ONE + TWO + THREE + FOUR + FIVE)]
const whole = (parts: readonly Uint8Array[]): Uint8Array[] => [new Uint8Array(Buffer.concat(parts))]

const fragmentation: AutobahnCase[] = [
  refused('5.1', [more(9, ONE), last(TWO)]),
  refused('5.2', [more(10, ONE), last(TWO)]),
  passes('5.3', whole(inTwo), [echo(ONE + TWO)]),
  passes('5.4', inTwo, [echo(ONE + TWO)]),
  passes('5.5', inTwo, [echo(ONE + TWO)], 1),
  passes('5.6', whole(withPing), withPingReplies),
  passes('5.7', withPing, withPingReplies),
  passes('5.8', withPing, withPingReplies, 1),
  refused('5.9', whole(nothingToContinue)),
  refused('5.10', nothingToContinue),
  refused('5.11', nothingToContinue, { chop: 1 }),
  refused('5.12', whole(nothingToContinueYet)),
  refused('5.13', nothingToContinueYet),
  refused('5.14', nothingToContinueYet, { chop: 1 }),
  refused('5.15', whole([more(1, ONE), last(TWO), more(0, THREE), text(FOUR)]), { replies: [echo(ONE + TWO)] }),
  refused('5.16', [more(0, ONE), more(1, TWO), last(THREE), more(0, ONE), more(1, TWO), last(THREE)]),
  refused('5.17', [last(ONE), more(1, TWO), last(THREE), last(ONE), more(1, TWO), last(THREE)]),
  refused('5.18', whole([more(1, ONE), text(TWO)])),
  passes('5.19', [...whole(inFive.slice(0, 3)), ...whole(inFive.slice(3))], inFiveReplies),
  passes('5.20', inFive, inFiveReplies),
]

export const framingCases: readonly AutobahnCase[] = [...framing, ...pings, ...reserved, ...opcodes, ...fragmentation]
