import type { Answer, WireCase } from '../support/wire-case.js'
import { call, malformed, ok, one, refused, rooms, seen, step, texts } from '../support/wire-case.js'

const path = '/v1beta1/counters/rooms'
const max = '9223372036854775807'
const overflow = '-9223372036854775808'

const counted = (count: number | string, capacity: number | string = 10): Answer => ok(rooms(`${count}`, `${capacity}`))
const range = (count: number | string, capacity: number | string = 10): Answer =>
  refused(`out of range. Count must be within range [0,Capacity]. Found Count: ${count}, Capacity: ${capacity}`)
const negative = (capacity: number | string = -1): Answer =>
  refused(`out of range. Capacity must be greater than or equal to 0. Found Capacity: ${capacity}`)
const empty = (name: string): Answer => refused(`invalid argument. Malformed CounterUpdateRequest: name:"${name}"`)

/** Every answer of an update is what the counter then is, what waits to be written included; a refused one leaves it alone. */
const update = (body: string, expect: Answer): WireCase => {
  const left = expect.status === 200 ? expect : ok(rooms())
  return one(`update with ${body || 'no body'}`, `PATCH ${path}`, body, expect, step(`GET ${path}`, undefined, left))
}

const each = (answer: Answer, bodies: string): (readonly [body: string, answer: Answer])[] =>
  texts(bodies).map((body) => [body, answer])

/** Updates that do the same in both modes. */
const inBoth = [
  ...each(counted(5), '{"count":"5"} | {"name":"other","count":"5"} | {"x":1,"count":"5"} | {"count":"5"} x'),
  ...each(counted(5), '{"count":"5"}{"count":"6"}'),
  ...each(counted(2), '{"name":null,"count":"2"}'),
  ...each(counted(0), '{"count":"0"} | {"countDiff":"-1"}'),
  ...each(counted(10), '{"count":"10"} | {"countDiff":"9"}'),
  ...each(counted(7), '{"count":"5","countDiff":"2"}'),
  ...each(range(-1), '{"count":"-1"} | {"countDiff":"-2"}'),
  ...each(range(11), '{"count":"11"} | {"countDiff":"10"} | {"count":"9","countDiff":"2"}'),
  ...each(range(11), '{"count":"11","countDiff":"-5"}'),
  ...each(negative(), '{"capacity":"-1"}'),
  ...each(counted(1, 1), '{"capacity":"1"}'),
  ...each(counted(1, 20), '{"capacity":"20"}'),
  ...each(range(5, 4), '{"count":"5","capacity":"4"}'),
  ...each(counted(15, 20), '{"count":"15","capacity":"20"}'),
  ...each(counted(16, 20), '{"capacity":"20","countDiff":"15"}'),
  ...each(counted(0, 0), '{"count":"0","capacity":"0"}'),
  ...each(counted(5, 5), '{"count":"0","capacity":"5","countDiff":"5"}'),
  ...each(range(2, 0), '{"capacity":"0","countDiff":"1"}'),
  ...each(counted(max, max), `{"capacity":"${max}","count":"${max}"}`),
  ...each(range(overflow), `{"countDiff":"${max}"}`),
  ...each(range('-9223372036854775807'), `{"countDiff":"${overflow}"}`),
  ...each(malformed, 'null | [] | { | 1 | {"name":5} | {"count":"5","count":"6"} | {"count":null,"count":"5"}'),
]

/** Updates that say nothing: local mode answers with the counter, production refuses them. */
const nothing = [
  ...['{}', '', ' ', '{"countDiff":"0"}', '{"count":null}', '{"name":"other"}', '{"x":1}', '{"count_diff":"3"}'],
  ...['{"CountDiff":"3"}', '{"Count":"5"}', '{"counterUpdateRequest":{"count":"5"}}'],
]

/** Counters in local mode: what can be asked, and what each answer says. */
export const counterCases: readonly WireCase[] = [
  call(`GET ${path}`, ok(rooms())),
  ...['GET /v1beta1/counters/nope', 'PATCH /v1beta1/counters/nope'].map((line) =>
    call(line, refused('not found. nope Counter not found'), line.startsWith('PATCH') ? '{}' : undefined),
  ),
  call('GET /v1beta1/counters/players', refused('not found. players Counter not found')),
  ...inBoth.map(([body, answer]) => update(body, answer)),
  ...nothing.map((body) => update(body, ok(rooms()))),
  update('{"capacity":"0"}', counted(1, 0)),
  ...texts('?count=5 | ?updateMask=foo | ?counterUpdateRequest.count=5 | ?x=%zz | ?a;b | ?countDiff=5').map((query) =>
    call(`PATCH ${path}${query}`, counted(2), '{"count":"2"}'),
  ),
  {
    name: 'a capacity below the count keeps the count',
    steps: [
      step(`PATCH ${path}`, '{"count":"5"}', counted(5)),
      step(`PATCH ${path}`, '{"capacity":"3"}', counted(5, 3)),
      step(`PATCH ${path}`, '{"countDiff":"1"}', range(6, 3)),
      step(`PATCH ${path}`, '{"countDiff":"-3"}', counted(2, 3)),
      step(`PATCH ${path}`, '{"count":"4"}', range(4, 3)),
      seen({ counters: { rooms: { count: '2', capacity: '3' } } }),
    ],
  },
  one(
    'a refused half of an update changes nothing',
    `PATCH ${path}`,
    '{"capacity":"50","count":"60"}',
    range(60, 50),
    step(`GET ${path}`, undefined, ok(rooms())),
  ),
  {
    name: 'exact to the last digit, and sums wrap around',
    steps: [
      step(`PATCH ${path}`, `{"capacity":"${max}","count":"9007199254740993"}`, counted('9007199254740993', max)),
      step(`PATCH ${path}`, '{"countDiff":"9214364837600034814"}', counted(max, max)),
      step(`PATCH ${path}`, '{"countDiff":"1"}', range(overflow, max)),
    ],
  },
]

/** Counters in production: answers count what is still to be written. */
export const productionCounterCases: readonly WireCase[] = [
  call(`GET ${path}`, ok(rooms())),
  call('GET /v1beta1/counters/nope', refused('counter not found: nope')),
  call('GET /v1beta1/counters/', refused('counter not found: ')),
  ...['{"count":"1"}', '{"capacity":"-1"}'].map((body) =>
    call('PATCH /v1beta1/counters/nope', refused('counter not found: nope'), body),
  ),
  ...['{}', '{"countDiff":"0"}'].map((body) => call('PATCH /v1beta1/counters/nope', empty('nope'), body)),
  ...inBoth.map(([body, answer]) => update(body, answer)),
  ...nothing.map((body) => update(body, empty('rooms'))),
  update('{"capacity":"0"}', counted(0, 0)),
  {
    name: 'differences add up while they wait, and a count that is set forgets them',
    steps: [
      step(`PATCH ${path}`, '{"countDiff":"2"}', counted(3)),
      step(`PATCH ${path}`, '{"countDiff":"3"}', counted(6)),
      step(`PATCH ${path}`, '{"countDiff":"5"}', range(11)),
      step(`PATCH ${path}`, '{"countDiff":"-6"}', counted(0)),
      step(`PATCH ${path}`, '{"count":"2"}', counted(2)),
      step(`GET ${path}`, undefined, counted(2)),
      step(`PATCH ${path}`, '{"countDiff":"1"}', counted(3)),
      step(`GET ${path}`, undefined, counted(3)),
    ],
  },
  {
    name: 'a capacity below the count truncates it',
    steps: [
      step(`PATCH ${path}`, '{"count":"5"}', counted(5)),
      step(`PATCH ${path}`, '{"capacity":"3"}', counted(3, 3)),
      step(`GET ${path}`, undefined, counted(3, 3)),
      step(`PATCH ${path}`, '{"countDiff":"1"}', range(6, 3)),
      step(`PATCH ${path}`, '{"countDiff":"-3"}', counted(2, 3)),
      step(`GET ${path}`, undefined, counted(2, 3)),
    ],
  },
  {
    name: 'a refused half of an update leaves the other half behind',
    steps: [
      step(`PATCH ${path}`, '{"capacity":"50","count":"60"}', range(60, 50)),
      step(`GET ${path}`, undefined, ok(rooms())),
      step(`PATCH ${path}`, '{"countDiff":"1"}', counted(2)),
    ],
  },
]
