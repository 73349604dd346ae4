/** Family 6 of the Autobahn testsuite: UTF-8. Its sequences are those of Markus Kuhn's decoder test. */
import { type AutobahnCase, echo, passes, refused } from './autobahn-case.js'
import { fragments, frame, latin, text, utf8 } from './bytes.js'

const GREEK = '\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5'
const MIXED = 'Hello-µ@ßöäüàá-UTF-8!!'
const EDITED = 'edited'
const BAD_CODE = { code: [1007] }

const more = (opcode: number, payload: Uint8Array): Uint8Array => frame(opcode, payload, { fin: false })
const surrogate = latin(GREEK + '\xed\xa0\x80' + EDITED)

const messages: AutobahnCase[] = [
  passes('6.1.1', [text('')], [echo('')]),
  passes('6.1.2', [more(1, latin('')), more(0, latin('')), frame(0)], [echo('')]),
  passes(
    '6.1.3',
    [more(1, latin('')), more(0, utf8('middle frame payload')), frame(0)],
    [echo('middle frame payload')],
  ),
  passes('6.2.1', [text(MIXED)], [echo(MIXED)]),
  passes('6.2.2', [more(1, utf8('Hello-µ@ßöä')), frame(0, utf8('üàá-UTF-8!!'))], [echo(MIXED)]),
  passes('6.2.3', [fragments(1, utf8(MIXED), 1)], [echo(MIXED)]),
  passes('6.2.4', [fragments(1, latin(GREEK), 1)], [echo(latin(GREEK))]),
  refused('6.3.1', [text(surrogate)], BAD_CODE),
  refused('6.3.2', [fragments(1, surrogate, 1)], BAD_CODE),
]

/** Beyond the last code point, which its second byte says already. */
const TOO_LARGE = GREEK + '\xf4\x90\x80\x80' + EDITED
const inFrames = (...cuts: number[]): Uint8Array[] =>
  [0, ...cuts].map((from, i) => frame(i ? 0 : 1, latin(TOO_LARGE.slice(from, cuts[i])), { fin: i === cuts.length }))
const inChops = (...cuts: number[]): Uint8Array[] => {
  const whole = text(latin(TOO_LARGE))
  return [0, ...cuts].map((from, i) => whole.subarray(i && from + 2, i < cuts.length ? cuts[i]! + 2 : undefined))
}
const strictly = { ...BAD_CODE, failsAfter: 2 }

/** The suite calls these passed "non-strictly" if the third part is needed to fail; here it must not be. */
const failFast: AutobahnCase[] = [
  refused('6.4.1', inFrames(11, 15), strictly),
  refused('6.4.2', inFrames(12, 13), strictly),
  refused('6.4.3', inChops(11, 15), strictly),
  refused('6.4.4', inChops(12, 13), strictly),
]

const range = (from: number, to: number, between = ''): string => {
  let all = ''
  for (let byte = from; byte < to; byte++) all += String.fromCharCode(byte) + between
  return all
}

const CUT_SHORT = [
  '\xc0',
  '\xe0\x80',
  '\xf0\x80\x80',
  '\xf8\x80\x80\x80',
  '\xfc\x80\x80\x80\x80',
  '\xdf',
  '\xef\xbf',
  '\xf7\xbf\xbf',
  '\xfb\xbf\xbf\xbf',
  '\xfd\xbf\xbf\xbf\xbf',
]

const nonCharacters: string[] = ['\xef\xbf\xbe', '\xef\xbf\xbf']
for (const first of ['\xf0', '\xf1', '\xf2', '\xf3', '\xf4']) {
  for (const second of ['\x8f', '\x9f', '\xaf', '\xbf']) {
    // F0 8F would be overlong; after F4, more than 8F is beyond the last code point.
    if ((first === '\xf0' && second === '\x8f') || (first === '\xf4' && second !== '\x8f')) continue
    for (const last of ['\xbe', '\xbf']) nonCharacters.push(first + second + '\xbf' + last)
  }
}

/** A leading `!` marks what is invalid. */
const SEQUENCES: Readonly<Record<string, readonly string[]>> = {
  '6.5': ['hello\x24world', 'hello\xc2\xa2world', 'hello\xe2\x82\xacworld', 'hello\xf0\xa4\xad\xa2world', GREEK],
  '6.6': Array.from(GREEK, (_, i) => ([1, 4, 6, 8, 10].includes(i) ? '' : '!') + GREEK.slice(0, i + 1)),
  '6.7': ['\x00', '\xc2\x80', '\xe0\xa0\x80', '\xf0\x90\x80\x80'],
  '6.8': ['!\xf8\x88\x80\x80\x80', '!\xfc\x84\x80\x80\x80\x80'],
  '6.9': ['\x7f', '\xdf\xbf', '\xef\xbf\xbf', '\xf4\x8f\xbf\xbf'],
  '6.10': ['!\xf7\xbf\xbf\xbf', '!\xfb\xbf\xbf\xbf\xbf', '!\xfd\xbf\xbf\xbf\xbf\xbf'],
  '6.11': ['\xed\x9f\xbf', '\xee\x80\x80', '\xef\xbf\xbd', '\xf4\x8f\xbf\xbf', '!\xf4\x90\x80\x80'],
  '6.12': [
    '!\x80',
    '!\xbf',
    '!\x80\xbf',
    '!\x80\xbf\x80',
    '!\x80\xbf\x80\xbf',
    '!\x80\xbf\x80\xbf\x80',
    '!\x80\xbf\x80\xbf\x80\xbf',
    '!' + range(0x80, 0xbf),
  ],
  '6.13': [
    [0xc0, 0xdf],
    [0xe0, 0xef],
    [0xf0, 0xf7],
    [0xf8, 0xfb],
    [0xfc, 0xfd],
  ].map(([from, to]) => '!' + range(from!, to!, ' ')),
  '6.14': CUT_SHORT.map((sequence) => '!' + sequence),
  '6.15': ['!' + CUT_SHORT.join('')],
  '6.16': ['!\xfe', '!\xff', '!\xfe\xfe\xff\xff'],
  '6.17': ['!\xc0\xaf', '!\xe0\x80\xaf', '!\xf0\x80\x80\xaf', '!\xf8\x80\x80\x80\xaf', '!\xfc\x80\x80\x80\x80\xaf'],
  '6.18': ['!\xc1\xbf', '!\xe0\x9f\xbf', '!\xf0\x8f\xbf\xbf', '!\xf8\x87\xbf\xbf\xbf', '!\xfc\x83\xbf\xbf\xbf\xbf'],
  '6.19': ['!\xc0\x80', '!\xe0\x80\x80', '!\xf0\x80\x80\x80', '!\xf8\x80\x80\x80\x80', '!\xfc\x80\x80\x80\x80\x80'],
  '6.20': [
    '!\xed\xa0\x80',
    '!\xed\xad\xbf',
    '!\xed\xae\x80',
    '!\xed\xaf\xbf',
    '!\xed\xb0\x80',
    '!\xed\xbe\x80',
    '!\xed\xbf\xbf',
  ],
  '6.21': ['\xa0\x80', '\xad\xbf', '\xae\x80', '\xaf\xbf'].flatMap((high) =>
    ['\xb0\x80', '\xbf\xbf'].map((low) => `!\xed${high}\xed${low}`),
  ),
  '6.22': nonCharacters,
  '6.23': ['\xb9', '\xba', '\xbb', '\xbc', '\xbd', '\xbe', '\xbf'].map((last) => '\xef\xbf' + last),
}

const families = Object.entries(SEQUENCES)
const sequences = families.flatMap(([family, list]) =>
  list.map((sequence, i): AutobahnCase => {
    const id = `${family}.${i + 1}`
    return sequence[0] === '!'
      ? refused(id, [text(latin(sequence.slice(1)))], BAD_CODE)
      : passes(id, [text(latin(sequence))], [echo(latin(sequence))])
  }),
)

export const utf8Cases: readonly AutobahnCase[] = [...messages, ...failFast, ...sequences]
