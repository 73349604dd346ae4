import type { Answer, WireCase } from '../support/wire-case.js'
import { badMask, call, malformed, ok, one, players, refused, seen, step, texts } from '../support/wire-case.js'

const path = '/v1beta1/lists/players'
const before = ['test0', 'test1', 'test2']

export const listed = (values: readonly string[] = before, capacity = 100): Answer => ok(players(values, `${capacity}`))
export const withMore = (...values: string[]): Answer => listed([...before, ...values])
export const duplicate = (value: string): Answer =>
  refused(`already exists. Value: ${value}${value && ' '}already in List: players`)
export const full = (capacity: number, size = capacity): Answer =>
  refused(`out of range. No available capacity. Current Capacity: ${capacity}, List Size: ${size}`)
export const range = (capacity: number): Answer =>
  refused(`out of range. Capacity must be within range [0,1000]. Found Capacity: ${capacity}`)
const absent = (value: string): Answer => refused(`not found. Value: ${value}${value && ' '}not found in List: players`)

const add = (value: string, expect: Answer) => step(`POST ${path}:addValue`, JSON.stringify({ value }), expect)
const remove = (value: string, expect: Answer) => step(`POST ${path}:removeValue`, JSON.stringify({ value }), expect)
const patch = (body: string, expect: Answer) => step(`PATCH ${path}`, body, expect)
const get = (expect: Answer) => step(`GET ${path}`, undefined, expect)

/** Bodies of both verbs, and the value that each stands for. */
const values: readonly (readonly [body: string, value: string])[] = [
  ...['', '{}', ...texts('{"value":""} | {"value":null} | {"Value":"x"} | {"values":["x"]}')].map(
    (body) => [body, ''] as const,
  ),
  ...texts('{"value":"x"} | {"value":"x","extra":1} | {"name":"other","value":"x"} | {"value":"x"} trailing').map(
    (body) => [body, 'x'] as const,
  ),
  ['{"value":"x"}{"value":"y"}', 'x'],
  ['{"value":"日本 \\ud83d\\ude00"}', '日本 😀'],
  ['{"value":"a\\u0000"}', 'a\u0000'],
  ['{"value":"TEST1"}', 'TEST1'],
  ['{"value":"__proto__"}', '__proto__'],
  [`{"value":"${'v'.repeat(300)}"}`, 'v'.repeat(300)],
]
const wrongValues = texts(
  String.raw`null | [] | { | {"value":1} | {"value":true} | {"value":["x"]} | {"value":{}} | {"value":"x","value":"y"}
  {"name":1,"value":"x"} | {"value":"\ud800"}`,
)

const verb = (name: string, body: string, expect: Answer): WireCase =>
  one(
    `${name} with ${body.slice(0, 70) || 'no body'}`,
    `POST ${path}:${name}`,
    body,
    expect,
    // Every answer is what the list then is; a refused call leaves it alone.
    get(expect.status === 200 ? expect : listed()),
  )

/** Lists in local mode: reading, adding and removing a value. */
export const valueCases: readonly WireCase[] = [
  call(`GET ${path}`, listed()),
  call('GET /v1beta1/lists/nope', refused('not found. nope List not found')),
  ...['nope', 'rooms'].flatMap((name) =>
    ['addValue', 'removeValue'].map((operation) =>
      call(`POST /v1beta1/lists/${name}:${operation}`, refused(`not found. ${name} List not found`), '{"value":"x"}'),
    ),
  ),
  ...values.flatMap(([body, value]) => [
    verb('addValue', body, withMore(value)),
    verb('removeValue', body, absent(value)),
  ]),
  ...wrongValues.flatMap((body) => [verb('addValue', body, malformed), verb('removeValue', body, malformed)]),
  verb('addValue', '{"value":"test1"}', duplicate('test1')),
  verb('addValue', '{"value":" test1"}', withMore(' test1')),
  verb('removeValue', '{"value":"test1"}', listed(['test0', 'test2'])),
  {
    name: 'an added value goes to the end, once, can be removed and added again, and is seen in the object',
    steps: [
      add('x', withMore('x')),
      add('x', duplicate('x')),
      remove('x', listed()),
      remove('x', absent('x')),
      add('x', withMore('x')),
      add('a', withMore('x', 'a')),
      seen({ lists: { players: { capacity: '100', values: [...before, 'x', 'a'] } } }),
    ],
  },
  {
    name: 'removing keeps the order, and empties a list',
    steps: [
      remove('test1', listed(['test0', 'test2'])),
      remove('test0', listed(['test2'])),
      remove('test2', listed([])),
      remove('test2', absent('test2')),
    ],
  },
  {
    name: 'a full list takes no more, not even what it has',
    steps: [
      patch('{"capacity":"3"}', listed(before, 3)),
      add('x', full(3)),
      add('test0', full(3)),
      remove('test0', listed(['test1', 'test2'], 3)),
      add('x', listed(['test1', 'test2', 'x'], 3)),
    ],
  },
]

/** An update; every answer is what the list then is, and a refused call leaves it alone. */
const update = (body: string, expect: Answer, query = ''): WireCase =>
  one(
    `update with ${[query, body].filter(Boolean).join(' and ') || 'no body'}`,
    `PATCH ${path}${query}`,
    body,
    expect,
    get(expect.status === 200 ? expect : listed()),
  )
const updates = (answer: Answer, bodies: string): WireCase[] => texts(bodies).map((body) => update(body, answer))

/** Updating a list in local mode: what the body says. */
export const updateListCases: readonly WireCase[] = [
  ...['nope', 'rooms'].map((name) =>
    call(`PATCH /v1beta1/lists/${name}`, refused(`not found. ${name} List not found`), '{"capacity":"5"}'),
  ),
  call('PATCH /v1beta1/lists/nope', badMask(''), '{}'),
  call('PATCH /v1beta1/lists/nope?updateMask=foo', badMask('foo'), '{}'),
  update('{}', badMask('')),
  ...['', ' ', '{"capacity":"100"}', '{"name":"other"}', '{"name":null}'].map((body) => update(body, listed())),
  ...updates(
    malformed,
    'null | [] | { | 1 | "x" | {"values":"a"} | {"values":[1]} | {"values":[null]} | {"values":{}}',
  ),
  ...updates(
    malformed,
    String.raw`{"values":[["a"]]} | {"values":["a",]} | {"values":["\ud800"]} | {"name":1} | {"x":1}`,
  ),
  ...updates(malformed, '{"x":1,"capacity":"5"} | {"x":null} | {"Capacity":"5"} | {"VALUES":["a"]} | {"value":["a"]}'),
  ...updates(
    malformed,
    '{"capacity":"5","capacity":"6"} | {"values":["a"],"values":["b"]} | {"list":{"capacity":"5"}}',
  ),
  ...updates(malformed, '{"updateMask":"capacity","capacity":"5"} | {"capacity":{"x":1}} | {"":1} | {"__proto__":1}'),
  update('\ufeff{"capacity":"5"}', malformed),
  ...updates(
    listed(before, 5),
    '{"capacity":"5"} | {"name":"players","capacity":"5"} | {"name":"other","capacity":"5"}',
  ),
  ...updates(listed(before, 5), '{"name":null,"capacity":"5"} | {"capacity":"5"} x | {"capacity":"5"}{"capacity":"6"}'),
  update('{"capacity":"2"}', listed(['test0', 'test1'], 2)),
  ...updates(listed([], 0), '{"capacity":"0"} | {"capacity":null} | {"capacity":"0","values":["a"]}'),
  ...['{"capacity":"101"}', '{"capacity":"1000"}'].map((body) => ({
    since: 'listLimit' as const,
    ...update(body, range(Number(/\d+/.exec(body)))),
  })),
  ...updates(range(1001), '{"capacity":"1001"} | {"capacity":"1001","values":["a"]}'),
  update('{"capacity":"-1"}', range(-1)),
  ...updates(listed([]), '{"values":[]} | {"values":null}'),
  update('{"values":["b","test1","a"]}', listed(['b', 'test1', 'a'])),
  update('{"values":["a","a"]}', listed(['a', 'a'])),
  update('{"values":[""]}', listed([''])),
  update('{"values":["日本"]}', listed(['日本'])),
  update('{"capacity":"2","values":["a","b","c"]}', listed(['a', 'b'], 2)),
  update('{"values":[],"capacity":"5"}', listed([], 5)),
  update('{"x":1,"capacity":"5"}', malformed, '?updateMask=capacity'),
  update('{"capacity":"1001","values":["a"]}', range(1001), '?updateMask=values'),
  update('{', malformed, '?updateMask=values'),
  {
    name: 'values beyond the capacity are cut off, and growing again does not bring them back',
    steps: [
      patch('{"capacity":"2"}', listed(['test0', 'test1'], 2)),
      patch('{"values":["a","b","c"]}', listed(['a', 'b'], 2)),
      patch('{"capacity":"10"}', listed(['a', 'b'], 10)),
      seen({ lists: { players: { capacity: '10', values: ['a', 'b'] } } }),
    ],
  },
  {
    name: 'the highest capacity is what the list called players began with',
    since: 'listLimit',
    steps: [
      patch('{"capacity":"50"}', listed(before, 50)),
      patch('{"capacity":"100"}', listed()),
      patch('{"capacity":"101"}', range(101)),
    ],
  },
]

const both = '{"capacity":"5","values":["a","b"]}'
const masked = (answer: Answer, queries: string, body = both): WireCase[] =>
  queries.split(' ').map((query) => update(body, answer, query))

/** Updating a list in local mode: what the query says. */
export const updateMaskCases: readonly WireCase[] = [
  ...masked(listed(before, 5), '?updateMask=capacity ?updateMask=name,capacity ?updateMask=capacity,capacity'),
  ...masked(listed(before, 5), '?update_mask=capacity ?updateMask=%63apacity ?up%64ateMask=capacity'),
  ...masked(listed(['a', 'b']), '?updateMask=values'),
  ...masked(listed(), '?updateMask=name'),
  // Any other query counts for nothing, so the body's keys are the mask.
  ...masked(
    listed(['a', 'b'], 5),
    '?updateMask=capacity,values ?updateMask=values,capacity ?updateMask=capacity%2Cvalues',
  ),
  ...masked(
    listed(['a', 'b'], 5),
    '?updatemask=capacity ?UpdateMask=capacity ?updateMask.foo=capacity ?x[y]=z ?list=5',
  ),
  ...masked(listed(['a', 'b'], 5), '?list.capacity=7 ?list.values=z ?capacity=7 ?name=other ?foo ? ?&'),
  ...['{}', '', '{"values":[]}'].flatMap((body) => [
    ...masked(listed([], 0), '?updateMask=capacity ?updateMask=capacity,values', body),
    ...masked(listed([]), '?updateMask=values', body),
    ...masked(listed(), '?updateMask=name', body),
    ...masked(badMask(''), '?updateMask=', body),
    ...masked(badMask('foo'), '?updateMask=foo', body),
  ]),
  ...masked(listed(before, 50), '?updateMask=capacity', '{"capacity":"50"}'),
  ...masked(listed([]), '?updateMask=values', '{"capacity":"50"}'),
  ...masked(badMask(''), '?updateMask= ?updateMask'),
  ...['foo', '*', 'Capacity', 'list.capacity', 'values.0', 'capacity.x', 'capacity#x'].flatMap((name) =>
    masked(badMask(name), `?updateMask=${name}`),
  ),
  ...masked(badMask('foo capacity'), '?updateMask=foo,capacity'),
  ...masked(badMask('capacity '), '?updateMask=capacity, ?updateMask=capacity+'),
  ...masked(badMask(' capacity'), '?updateMask=,capacity ?updateMask=%20capacity'),
  ...masked(badMask('capacity values'), '?updateMask=capacity,%20values'),
  ...masked(malformed, '?updateMask=capacity&updateMask=values ?a;b ?a=%zz ?%zz ?updateMask=capacity;x ?a;b&%zz'),
]
