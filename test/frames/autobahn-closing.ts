/** Families 7, 9 and 10 of the Autobahn testsuite: closing, large messages, many messages. */
import { type AutobahnCase, closed, echo, passes, ping, refused, serverClose } from './autobahn-case.js'
import { close, closePayload, fragments, frame, latin, repeat, text, utf8 } from './bytes.js'

const KI = 1024
const MI = KI * KI
const HELLO = 'Hello World!'
const BAD_UTF8 = latin('\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80edited')

const closing: AutobahnCase[] = [
  passes('7.1.1', [text(HELLO)], [echo(HELLO)]),
  closed('7.1.2', [serverClose, frame(8)], 1000),
  closed('7.1.3', [serverClose, ping()], 1000),
  closed('7.1.4', [serverClose, text(HELLO)], 1000),
  closed('7.1.5', [text('fragment1', { fin: false }), serverClose, frame(0, utf8('fragment2'))], 1000),
  // Informational there; a reader that takes all in order echoes both messages.
  closed('7.1.6', [text(repeat('BAsd7&jh23', 256 * KI)), text(HELLO), serverClose, ping()], 1000, [
    echo(repeat('BAsd7&jh23', 256 * KI)),
    echo(HELLO),
  ]),
  closed('7.3.1', [frame(8)], 1005),
  refused('7.3.2', [frame(8, utf8('a'))]),
  closed('7.3.3', [close(1000)], 1000),
  closed('7.3.4', [close(1000, HELLO)], 1000),
  closed('7.3.5', [close(1000, '*'.repeat(123))], 1000),
  refused('7.3.6', [frame(8, closePayload(1000, '*'.repeat(124)))]),
  refused('7.5.1', [close(1000, BAD_UTF8)], { code: [1002, 1007] }),
  ...[1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999].map((code, i) =>
    closed(`7.7.${i + 1}`, [close(code)], code),
  ),
  ...[0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999].map((code, i) => refused(`7.9.${i + 1}`, [close(code)])),
  // Undefined by the RFC, informational there; refused here.
  refused('7.13.1', [close(5000)]),
  refused('7.13.2', [close(65535)]),
]

type Large = readonly [
  id: string,
  opcode: 1 | 2,
  payload: string,
  length: number,
  fragment?: number | undefined,
  chop?: number,
]

const DIGITS = 'BAsd7&jh23'
const OCTETS = '\x00\xfe\x23\xfa\xf0'
const ascending = <T>(list: readonly T[], toCase: (value: T, nth: number) => Large): Large[] =>
  list.map((value, i) => toCase(value, i + 1))

const LENGTHS = [64 * KI, 256 * KI, MI, 4 * MI, 8 * MI, 16 * MI]
const FRAGMENTS = [64, 256, KI, 4 * KI, 16 * KI, 64 * KI, 256 * KI, MI, 4 * MI]
const CHOPS = [64, 128, 256, 512, KI, 2 * KI]

const large: Large[] = [
  ...ascending(LENGTHS, (length, i) => [`9.1.${i}`, 1, DIGITS, length]),
  ...ascending(LENGTHS, (length, i) => [`9.2.${i}`, 2, OCTETS, length]),
  ...ascending(FRAGMENTS, (size, i) => [`9.3.${i}`, 1, '*', 4 * MI, size]),
  ...ascending(FRAGMENTS, (size, i) => [`9.4.${i}`, 2, i > 1 ? '*' : '\xfe', 4 * MI, size]),
  ...ascending(CHOPS, (chop, i) => [`9.5.${i}`, 1, DIGITS, MI, undefined, chop]),
  ...ascending(CHOPS, (chop, i) => [`9.6.${i}`, 2, OCTETS, MI, undefined, chop]),
  ['10.1.1', 1, '*', 65536, 1300],
]

const messages = large.map(([id, opcode, payload, length, fragment, chop]): AutobahnCase =>
  passes(
    id,
    () => [fragments(opcode, repeat(payload, length), fragment ?? length)],
    () => [[opcode, repeat(payload, length)]],
    chop,
  ),
)

/** There each is sent when the last was echoed, to measure the round trip; here one after another. */
const SIZES = [0, 16, 64, 256, KI, 4 * KI]
const many = SIZES.flatMap((length, i): AutobahnCase[] =>
  ([1, 2] as const).map((opcode) => {
    const payload = repeat(opcode === 1 ? '*' : '\xfe', length)
    const sent = frame(opcode, payload)
    return passes(
      `9.${opcode + 6}.${i + 1}`,
      () => Array<Uint8Array>(1000).fill(sent),
      () => Array(1000).fill([opcode, payload]),
    )
  }),
)

export const closingCases: readonly AutobahnCase[] = [...closing, ...messages, ...many]
