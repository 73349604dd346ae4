import type { Answer, Body, WireCase } from '../support/wire-case.js'
import {
  call,
  localGameServer,
  malformed,
  noBeat,
  notFound,
  ok,
  one,
  players,
  refused,
  rooms,
  seen,
  step,
  texts,
  tooLarge,
  wrongMethod,
} from '../support/wire-case.js'

const nested = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)
const ready = (bodies: readonly Body[], answer: Answer): WireCase[] =>
  bodies.map((body) => one(`ready with ${JSON.stringify(body).slice(0, 60)}`, 'POST /ready', { body }, answer))

/** Bodies as JSON: which are read, and which are refused. */
export const jsonCases: readonly WireCase[] = [
  ...ready(['', ' ', '\n', '{}', ' {} ', '\t{\r\n}\n'], ok()),
  // Only an object is a message.
  ...ready(texts('[] | [{}] | null | true | 1 | -1 | "x" | "" | x | NaN | a=b | <xml/>'), malformed),
  // Only the first value is read.
  ...ready(texts('{}{} | {} {} | {}x | {} x | {}, | {}null | {}] | {}} | {}\u0000 | {}\ufeff | {}//x'), ok()),
  ...ready(texts(String.raw`{"a":1}} | {"a":"}"}} | {"a":"\"}"}}`), ok()),
  ...ready(['{"a":1}\n{"b":2}\n', '{}\n{'], ok()),
  // The value must be complete.
  ...ready(texts(String.raw`{ | } | {"a | {"a" | {"a": | {"a":1 | {"a":" | {"a":"x | {"a":"x\ | {"a":{}`), malformed),
  // Brackets must match.
  ...ready(texts('{] | {"a":[} | {"a":[}] | {"a":{]} | {"a":]}'), malformed),
  // Its syntax must be right.
  ...ready(texts(`{'a':1} | {a:1} | {"a"} | {"a":} | {"a":1,} | {,} | {"a" 1} | {"a"::1} | {"a":1 "b":2}`), malformed),
  ...ready(texts('{"a":1;"b":2} | {"a":[1,]} | {"a":[,]} | {"a":01} | {"a":+1} | {"a":.5} | {"a":5.}'), malformed),
  ...ready(texts('{"a":1e} | {"a":-} | {"a":NaN} | {"a":0x10} | {"a":nul} | {"a":True}'), malformed),
  ...ready(texts(String.raw`{"a":"\x41"} | {"a":"\u00"} | {"a":"\'"}`), malformed),
  ...ready(['{"a":"\t"}', '{"a":"\n"}', '{"a":"\u0000"}'], malformed),
  // White space and comments around it.
  ...ready(['\ufeff{}', '\u00a0{}', '\u000b{}', '\u000c{}', '//x\n{}', '/*x*/{}', '{"a":/**/1}'], malformed),
  // Unknown fields may hold anything.
  ...ready(texts('{"a":1} | {"a":{"b":[1,"2",null,{"c":true}]}} | {"a":1,"a":2} | {"":1} | {"@type":"x"}'), ok()),
  ...ready(texts('{"__proto__":1} | {"constructor":{}} | {"a":1e999} | {"a":-0} | {"a":123456789012345678901}'), ok()),
  ...ready(texts(String.raw`{"a":"\u0041\/"} | {"a":"é"} | {"é":1} | {"a":",:{"}`), ok()),
  ...ready(['{"a":"\u007f"}', '{"a":"\u2028"}'], ok()),
  // No string may hold half of a surrogate pair.
  ...ready(texts(String.raw`{"a":"\ud83d\ude00"} | {"a":"\\ud83d"} | {"a":"\uD83D\uDE00\n"}`), ok()),
  ...ready(texts(String.raw`{"a":"\ud83d"} | {"a":"\ude00"} | {"a":"\ude00\ud83d"} | {"a":"\ud83d x"}`), malformed),
  ...ready(texts(String.raw`{"a":"\ud83dx\ude00"} | {"\ud83d":1} | {"a":[{"b":"\ud83d"}]}`), malformed),
  ...ready([nested(100), nested(10_000)], ok()),
  ...ready(['{"a":' + '['.repeat(1_000_000)], malformed),
  // Not UTF-8: in a string, in a key, outside, an encoded surrogate, UTF-16.
  ...ready(
    ['{"a":"\xff"}', '{"\xff":1}', '\xff{}', '{"a":"\xed\xa0\x80"}', '\xff\xfe{\x00}\x00'].map((latin1) => ({
      latin1,
    })),
    malformed,
  ),
  one(
    'a chunked body',
    'PUT /metadata/label',
    { body: '{"key":"a","value":"b"}', chunked: true },
    ok(),
    seen({ labels: { 'agones.dev/sdk-a': 'b' } }),
  ),
  one('a chunked body that is empty', 'POST /ready', { body: '', chunked: true }, ok()),
  one('a chunked body that is malformed', 'POST /ready', { body: '{"a', chunked: true }, malformed),
]

const size = 4 * 1024 * 1024
const value = (times: number): Body => ({ before: '{"key":"a","value":"', times, after: '"}' })
const junk = { before: '{"junk":"', times: size, after: '"}' }
const annotation = 'PUT /metadata/annotation'

/**
 * Around 4 MiB. The real sidecar measures the message that a body stands for: eight bytes more here than the
 * value has, and nothing for what it ignores. Ours measures the body, so that it never reads more than that.
 */
export const limitCases: readonly WireCase[] = [
  one('a body just below 4 MiB', annotation, { body: value(size - 22) }, ok()),
  one('chunked', annotation, { body: value(size - 22), chunked: true }, ok()),
  one('a message over 4 MiB', annotation, { body: value(size - 7) }, tooLarge),
  one('a chunked one', annotation, { body: value(size), chunked: true }, tooLarge),
  one(
    'an added value over 4 MiB',
    'POST /v1beta1/lists/players:addValue',
    { body: { before: '{"value":"', times: size, after: '"}' } },
    tooLarge,
    step('GET /v1beta1/lists/players', undefined, ok(players())),
  ),
  ...(
    [
      ['a body over 4 MiB whose message is not', annotation, value(size - 8), ok()],
      ['an unknown field over 4 MiB', 'POST /ready', junk, ok()],
      ['a malformed body over 4 MiB', 'POST /ready', { ...junk, after: '"' }, malformed],
      ['a beat over 4 MiB', 'POST /health', junk, ok()],
    ] as const
  ).map(([name, line, body, expect]) => ({ name, steps: [{ call: line, body, expect, ours: tooLarge }] })),
]

const beats = (bodies: readonly string[], answer: Answer): WireCase[] =>
  bodies.map((body) => one(`health with ${JSON.stringify(body)}`, 'POST /health', body, answer))

/** Health: the one call that refuses an empty body, and that takes a stream. */
export const healthCases: readonly WireCase[] = [
  ...beats(['{}', ' ', '\n', '{}{}', '{} {} {}', '{}\n{}\n', '{"a":1}', '{"timestamp":1}'], ok()),
  ...beats(texts('null | [] | 1 | "x" | { | {}x | {}{ | {}null | {}[] | null{} | {"a":1}{"b": | x | {},{}'), malformed),
  ...beats(['\ufeff{}'], malformed),
  ...beats([''], noBeat),
  one('a chunked, empty health', 'POST /health', { body: '', chunked: true }, ok()),
  one('a chunked health', 'POST /health', { body: '{}', chunked: true }, ok()),
  ...['POST /health?x=1', 'PUT /health', 'DELETE /health', 'POST /%68ealth'].map((line) => call(line, noBeat)),
  call('POST /health/', notFound),
  one(
    'health by a form without a body',
    'POST /health',
    { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: '' },
    noBeat,
  ),
  {
    name: 'health works in every state, and changes nothing',
    steps: [step('POST /shutdown', '{}', ok()), step('POST /health', '{}', ok()), seen({ state: 'Shutdown' })],
  },
]

const max = 9223372036854775807n

/** JSON texts that are taken for an int64, by what they are. */
const integers = new Map<string, bigint>(
  (
    [
      [10n, '10 "10" 10.0 "10.0" 1e1 "1e1" 1E1 1e+1 100e-1 "\\u0031\\u0030"'],
      [5n, '0.5e1'],
      [1n, '1.0e0 1.0000000000000000000000000'],
      [0n, '0 "0" -0 "-0" 0.0 0e99999999999 null'],
      [-1n, '-1 "-1"'],
      [9007199254740993n, '9007199254740993 "9007199254740993"'],
      [max, '9223372036854775807 "9223372036854775807" 9223372036854775807.0 9.223372036854775807e18'],
      [-max - 1n, '-9223372036854775808 "-9223372036854775808"'],
    ] as const
  ).flatMap(([integer, spelled]) => spelled.split(' ').map((text) => [text, integer] as const)),
)

/** Texts that are no int64, some of them no JSON either. */
const noIntegers = texts(
  `1e-1 | "1e-1" | 10.5 | "10.5" | "" | " 10" | "10 " | "+10" | "00" | "010" | "0x10" | "1_0" | "ten" | "NaN" | "null"
   "١" | true | false | 9223372036854775808 | "9223372036854775808" | 9.223372036854775808e18 | -9223372036854775809
   1e19 | "1e19" | 1e-400 | 1e400 | "1e400" | 10.00000000000000000000000001 | "10\\n" | [] | [10] | {} | {"value":10}
   +10 | 00 | 010`,
)

const outOfRange = (count: bigint, capacity: bigint): Answer =>
  refused(`out of range. Count must be within range [0,Capacity]. Found Count: ${count}, Capacity: ${capacity}`)

/** Each spelling of an integer in one field; in the others, a few of them: one reader reads them all. */
const few = /^(10|"10"|1e1|null|-1|"?-?922337203685477580\d"?|10\.5|""|true|\{\})$/
const spelled = (line: string, body: (text: string) => string, expect: (value: bigint, text: string) => Answer) => ({
  in: (fits: RegExp): WireCase[] => [
    ...[...integers]
      .filter(([text]) => fits.test(text))
      .map(([text, number]) => at(line, body(text), expect(number, text))),
    ...noIntegers.filter((text) => fits.test(text)).map((text) => at(line, body(text), malformed)),
  ],
})
const at = (line: string, body: string, expect: Answer): WireCase => one(`${line} ${body}`, line, body, expect)

/** How integers are spelled. */
export const int64Cases: readonly WireCase[] = [
  ...spelled(
    'PATCH /v1beta1/counters/rooms',
    (text) => `{"count":${text},"capacity":"${max}"}`,
    (number, text) => {
      if (text === 'null') return ok(rooms('1', `${max}`))
      return number < 0n ? outOfRange(number, max) : ok(rooms(`${number}`, `${max}`))
    },
  ).in(/./),
  ...spelled(
    'PATCH /v1beta1/counters/rooms',
    (text) => `{"capacity":"${max}","countDiff":${text}}`,
    (number) => {
      // Sums wrap around as an int64 does.
      const sum = BigInt.asIntN(64, 1n + number)
      return sum < 0n ? outOfRange(sum, max) : ok(rooms(`${sum}`, `${max}`))
    },
  ).in(few),
  ...spelled(
    'PATCH /v1beta1/counters/rooms',
    (text) => `{"capacity":${text}}`,
    (number, text) => {
      if (text === 'null') return ok(rooms())
      if (number >= 0n) return ok(rooms('1', `${number}`))
      return refused(`out of range. Capacity must be greater than or equal to 0. Found Capacity: ${number}`)
    },
  ).in(few),
  ...spelled(
    'PATCH /v1beta1/lists/players',
    (text) => `{"capacity":${text}}`,
    (number) => {
      if (number < 0n || number > 100n)
        return refused(`out of range. Capacity must be within range [0,1000]. Found Capacity: ${number}`)
      return ok(players(['test0', 'test1', 'test2'].slice(0, Number(number)), `${number}`))
    },
  ).in(few),
  ...spelled(
    'POST /reserve',
    (text) => `{"seconds":${text}}`,
    () => ok(),
  ).in(few),
]

const reserve = (bodies: readonly string[], answer: Answer, state?: string): WireCase[] =>
  bodies.map((body) => one(`reserve with ${body}`, 'POST /reserve', body, answer, seen(state ? { state } : {})))
const states = { ready: 'Ready', allocate: 'Allocated', shutdown: 'Shutdown', reserve: 'Reserved' }
const calls = Object.entries(states).map(([path, state]) => [step(`POST /${path}`, '{}', ok()), seen({ state })])

/** The state as each call leaves it. */
export const lifecycleCases: readonly WireCase[] = [
  call('GET /gameserver', ok(localGameServer())),
  ...calls.flatMap((first) =>
    calls.map((second) => ({ name: `${first[0]!.call}, then ${second[0]!.call}`, steps: [...first, ...second] })),
  ),
  call('POST /allocate', ok(), undefined, seen({ state: 'Allocated' })),
  call('POST /allocate', malformed, '{', seen()),
  call('POST /allocate', ok(), '{} x', seen({ state: 'Allocated' })),
  call('GET /allocate', wrongMethod, undefined, seen()),
  ...['allocate', 'shutdown'].map((path) => ({
    name: `writes work after ${path}, and neither resource version nor generation moves`,
    steps: [
      step(`POST /${path}`, '{}', ok()),
      step('PUT /metadata/label', '{"key":"a","value":"b"}', ok()),
      step('PATCH /v1beta1/counters/rooms', '{"count":"2"}', ok(rooms('2'))),
      seen({
        state: states[path as 'allocate'],
        labels: { 'agones.dev/sdk-a': 'b' },
        counters: { rooms: { count: '2', capacity: '10' } },
      }),
    ],
  })),
  ...reserve(['', '{}', '{"Seconds":10}', '{"second":10}', '{"seconds":10,"nanos":5}'], ok(), 'Reserved'),
  ...reserve(['{"seconds":"10","x":{}}', '{"duration":"10s"}'], ok(), 'Reserved'),
  ...reserve(['{"seconds":10,"seconds":0}', '{"seconds":null,"seconds":5}', '"10s"', '10'], malformed),
]
