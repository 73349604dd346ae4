import type { Answer, Step, WireCase } from '../support/wire-case.js'
import { badMask, call, malformed, ok, one, refused, step } from '../support/wire-case.js'
import { duplicate, full, listed, range, withMore } from './lists.js'

const path = '/v1beta1/lists/players'
const of = (values: string[]): Answer => ok({ name: 'rooms', capacity: '3', values })
const absent = (value: string): Answer => refused(`not found: value ${value}${value && ' '}not in list players`)

const add = (value: string, expect: Answer, list = 'players'): Step =>
  step(`POST /v1beta1/lists/${list}:addValue`, JSON.stringify({ value }), expect)
const remove = (value: string, expect: Answer, list = 'players'): Step =>
  step(`POST /v1beta1/lists/${list}:removeValue`, JSON.stringify({ value }), expect)
const get = (expect: Answer, list = 'players'): Step => step(`GET /v1beta1/lists/${list}`, undefined, expect)

/** What the real sidecar answers to an update, for want of a right. */
const noRight = refused('no gameservers for fleet')

/** An update that ours carries out. */
const update = (body: string, ours: Answer, query = ''): WireCase => ({
  name: `update with ${query}${query && ' and '}${body || 'no body'}`,
  steps: [
    { call: `PATCH ${path}${query}`, body, expect: noRight, ours },
    ours.status === 200 ? { ...get(listed()), ours } : get(listed()),
  ],
})

/** An update that is refused as such, and leaves the list alone. */
const refuse = (body: string, expect: Answer, query = ''): WireCase =>
  one(`update with ${query}${query && ' and '}${body}`, `PATCH ${path}${query}`, body, expect, get(listed()))

/** Lists in production: answers hold what is still to be written. */
export const productionListCases: readonly WireCase[] = [
  call(`GET ${path}`, listed()),
  call('GET /v1beta1/lists/', refused('list not found: ')),
  ...['GET /v1beta1/lists/nope', 'POST /v1beta1/lists/nope:addValue', 'POST /v1beta1/lists/nope:removeValue'].map(
    (line) => call(line, refused('list not found: nope'), line.startsWith('POST') ? '{"value":"x"}' : undefined),
  ),
  { name: 'adding a duplicate', steps: [add('test1', duplicate('test1')), get(listed())] },
  { name: 'adding a value that waits', steps: [add('x', withMore('x')), add('x', duplicate('x')), get(withMore('x'))] },
  {
    name: 'adding to a full list, and what it has',
    steps: [
      add('c', of(['a', 'b', 'c']), 'rooms'),
      add('d', full(3), 'rooms'),
      add('a', full(3), 'rooms'),
      get(of(['a', 'b', 'c']), 'rooms'),
    ],
  },
  {
    name: 'removing twice',
    steps: [
      remove('test1', listed(['test0', 'test2'])),
      get(listed(['test0', 'test2'])),
      remove('test1', absent('test1')),
    ],
  },
  call(`POST ${path}:removeValue`, absent(''), '{}'),
  { name: 'removing what is not there', steps: [remove('nope', absent('nope')), get(listed())] },
  {
    name: 'removing a value that is waiting: the answer still holds it',
    steps: [
      add('x', withMore('x')),
      remove('x', withMore('x')),
      get(listed()),
      add('x', withMore('x')),
      get(withMore('x')),
    ],
  },
  {
    name: 'room is made by a removal that waits',
    steps: [
      add('c', of(['a', 'b', 'c']), 'rooms'),
      remove('a', of(['b', 'c']), 'rooms'),
      add('d', of(['b', 'c', 'd']), 'rooms'),
      get(of(['b', 'c', 'd']), 'rooms'),
    ],
  },
  {
    name: 'an unknown list, updating',
    since: 'listLimit',
    steps: [
      {
        call: 'PATCH /v1beta1/lists/nope',
        body: '{"capacity":"1"}',
        expect: noRight,
        ours: refused('not found. nope List not found'),
      },
    ],
  },
  update('{"capacity":"5"}', listed(undefined, 5)),
  update('{"capacity":"2"}', listed(['test0', 'test1'], 2)),
  update('{"capacity":"0"}', listed([], 0)),
  update('{"capacity":"101"}', listed(undefined, 101)),
  update('{"capacity":"100"}', listed()),
  update('{"capacity":"1001"}', range(1001)),
  update('{"capacity":"-1"}', range(-1)),
  update('{"values":["b","test1","a"]}', listed(['test1', 'b', 'a'])),
  update('{"values":[]}', listed([])),
  update('{"values":["a","a"]}', listed(['a'])),
  update('{"capacity":"2","values":["a","b","c"]}', listed(['a', 'b'], 2)),
  update('', listed()),
  update('{"name":"rooms","capacity":"5"}', listed(undefined, 5)),
  update('{"capacity":null}', listed([], 0)),
  update('{}', listed([]), '?updateMask=values'),
  update('{}', listed([], 0), '?updateMask=capacity'),
  update('{"capacity":"5","values":["z"]}', listed(undefined, 5), '?updateMask=capacity'),
  update('{"capacity":"5","values":["z"]}', listed(['z']), '?updateMask=values'),
  update('{"capacity":"5"}', listed(), '?updateMask=name'),
  refuse('{}', badMask('')),
  refuse('{"x":1}', malformed),
  refuse('{', malformed),
  refuse('{"capacity":"5"}', badMask('foo'), '?updateMask=foo'),
  refuse('{"capacity":"5"}', badMask(''), '?updateMask='),
  {
    name: 'adding after an update of the capacity',
    steps: [
      { call: `PATCH ${path}`, body: '{"capacity":"3"}', expect: noRight, ours: listed(undefined, 3) },
      { ...add('x', withMore('x')), ours: full(3) },
    ],
  },
]
