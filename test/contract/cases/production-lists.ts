import type { Answer, WireCase } from '../support/wire-case.js'
import { badMask, malformed, ok, one, players, refused, step } from '../support/wire-case.js'

const path = '/v1beta1/lists/players'

/** What the real sidecar answers to an update, for want of a right. */
const noRight = refused('no gameservers for fleet')

/** An update that ours carries out. */
const update = (body: string, left: Answer, query = ''): WireCase => ({
  name: `update with ${query}${query && ' and '}${body || 'no body'}`,
  steps: [
    { call: `PATCH ${path}${query}`, body, expect: noRight, ours: left },
    { call: `GET ${path}`, expect: ok(players()), ours: left },
  ],
})

/** An update that ours refuses for what it asks for. */
const outOfRange = (body: string, ours: Answer): WireCase => ({
  name: `update with ${body}`,
  steps: [{ call: `PATCH ${path}`, body, expect: noRight, ours }, step(`GET ${path}`, undefined, ok(players()))],
})

/** An update that is refused as such, and leaves the list alone. */
const refuse = (body: string, expect: Answer, query = ''): WireCase => {
  const after = step(`GET ${path}`, undefined, ok(players()))
  return one(`update with ${query}${query && ' and '}${body}`, `PATCH ${path}${query}`, body, expect, after)
}

/** Lists in production: answers hold what is still to be written. */
export const productionListCases: readonly WireCase[] = [
  one('a list', 'GET /v1beta1/lists/players', undefined, ok(players())),
  one('an unknown list', 'GET /v1beta1/lists/nope', undefined, refused('list not found: nope')),
  one('a list without a name', 'GET /v1beta1/lists/', undefined, refused('list not found: ')),
  one('an unknown list, adding', 'POST /v1beta1/lists/nope:addValue', '{"value":"x"}', refused('list not found: nope')),
  one(
    'an unknown list, removing',
    'POST /v1beta1/lists/nope:removeValue',
    '{"value":"x"}',
    refused('list not found: nope'),
  ),
  one(
    'adding',
    'POST /v1beta1/lists/players:addValue',
    '{"value":"x"}',
    ok(players(['test0', 'test1', 'test2', 'x'])),
    step('GET /v1beta1/lists/players', undefined, ok(players(['test0', 'test1', 'test2', 'x']))),
  ),
  {
    name: 'adding without a value',
    steps: [
      step('POST /v1beta1/lists/players:addValue', '{}', ok(players(['test0', 'test1', 'test2', '']))),
      step('GET /v1beta1/lists/players', undefined, ok(players(['test0', 'test1', 'test2', '']))),
      step('POST /v1beta1/lists/players:addValue', '{}', refused('already exists. Value: already in List: players')),
    ],
  },
  one(
    'adding a duplicate',
    'POST /v1beta1/lists/players:addValue',
    '{"value":"test1"}',
    refused('already exists. Value: test1 already in List: players'),
    step('GET /v1beta1/lists/players', undefined, ok(players())),
  ),
  {
    name: 'adding a value that is waiting',
    steps: [
      step('POST /v1beta1/lists/players:addValue', '{"value":"x"}', ok(players(['test0', 'test1', 'test2', 'x']))),
      step(
        'POST /v1beta1/lists/players:addValue',
        '{"value":"x"}',
        refused('already exists. Value: x already in List: players'),
      ),
      step('GET /v1beta1/lists/players', undefined, ok(players(['test0', 'test1', 'test2', 'x']))),
    ],
  },
  {
    name: 'adding to a full list',
    steps: [
      step(
        'POST /v1beta1/lists/rooms:addValue',
        '{"value":"c"}',
        ok({ name: 'rooms', capacity: '3', values: ['a', 'b', 'c'] }),
      ),
      step(
        'POST /v1beta1/lists/rooms:addValue',
        '{"value":"d"}',
        refused('out of range. No available capacity. Current Capacity: 3, List Size: 3'),
      ),
      step('GET /v1beta1/lists/rooms', undefined, ok({ name: 'rooms', capacity: '3', values: ['a', 'b', 'c'] })),
    ],
  },
  {
    name: 'adding what a full list has',
    steps: [
      step(
        'POST /v1beta1/lists/rooms:addValue',
        '{"value":"c"}',
        ok({ name: 'rooms', capacity: '3', values: ['a', 'b', 'c'] }),
      ),
      step(
        'POST /v1beta1/lists/rooms:addValue',
        '{"value":"a"}',
        refused('out of range. No available capacity. Current Capacity: 3, List Size: 3'),
      ),
    ],
  },
  one(
    'removing',
    'POST /v1beta1/lists/players:removeValue',
    '{"value":"test1"}',
    ok(players(['test0', 'test2'])),
    step('GET /v1beta1/lists/players', undefined, ok(players(['test0', 'test2']))),
  ),
  {
    name: 'removing twice',
    steps: [
      step('POST /v1beta1/lists/players:removeValue', '{"value":"test1"}', ok(players(['test0', 'test2']))),
      step(
        'POST /v1beta1/lists/players:removeValue',
        '{"value":"test1"}',
        refused('not found: value test1 not in list players'),
      ),
      step('GET /v1beta1/lists/players', undefined, ok(players(['test0', 'test2']))),
    ],
  },
  one(
    'removing without a value',
    'POST /v1beta1/lists/players:removeValue',
    '{}',
    refused('not found: value not in list players'),
  ),
  one(
    'removing what is not there',
    'POST /v1beta1/lists/players:removeValue',
    '{"value":"nope"}',
    refused('not found: value nope not in list players'),
    step('GET /v1beta1/lists/players', undefined, ok(players())),
  ),
  {
    name: 'removing a value that is waiting: the answer still holds it',
    since: 'listAnswers',
    steps: [
      step('POST /v1beta1/lists/players:addValue', '{"value":"x"}', ok(players(['test0', 'test1', 'test2', 'x']))),
      step('POST /v1beta1/lists/players:removeValue', '{"value":"x"}', ok(players(['test0', 'test1', 'test2', 'x']))),
      step('GET /v1beta1/lists/players', undefined, ok(players())),
    ],
  },
  {
    name: 'removing and adding again',
    steps: [
      step('POST /v1beta1/lists/players:removeValue', '{"value":"test1"}', ok(players(['test0', 'test2']))),
      step('POST /v1beta1/lists/players:addValue', '{"value":"test1"}', ok(players(['test0', 'test2', 'test1']))),
      step('GET /v1beta1/lists/players', undefined, ok(players(['test0', 'test2', 'test1']))),
    ],
  },
  {
    name: 'adding, removing, adding',
    since: 'listAnswers',
    steps: [
      step('POST /v1beta1/lists/players:addValue', '{"value":"x"}', ok(players(['test0', 'test1', 'test2', 'x']))),
      step('POST /v1beta1/lists/players:removeValue', '{"value":"x"}', ok(players(['test0', 'test1', 'test2', 'x']))),
      step('POST /v1beta1/lists/players:addValue', '{"value":"x"}', ok(players(['test0', 'test1', 'test2', 'x']))),
      step('GET /v1beta1/lists/players', undefined, ok(players(['test0', 'test1', 'test2', 'x']))),
    ],
  },
  {
    name: 'room is made by a removal that waits',
    since: 'listAnswers',
    steps: [
      step(
        'POST /v1beta1/lists/rooms:addValue',
        '{"value":"c"}',
        ok({ name: 'rooms', capacity: '3', values: ['a', 'b', 'c'] }),
      ),
      step(
        'POST /v1beta1/lists/rooms:removeValue',
        '{"value":"a"}',
        ok({ name: 'rooms', capacity: '3', values: ['b', 'c'] }),
      ),
      step(
        'POST /v1beta1/lists/rooms:addValue',
        '{"value":"d"}',
        ok({ name: 'rooms', capacity: '3', values: ['b', 'c', 'd'] }),
      ),
      step('GET /v1beta1/lists/rooms', undefined, ok({ name: 'rooms', capacity: '3', values: ['b', 'c', 'd'] })),
    ],
  },
  update('{"capacity":"5"}', ok(players(['test0', 'test1', 'test2'], '5'))),
  update('{"capacity":"2"}', ok(players(['test0', 'test1'], '2'))),
  update('{"capacity":"0"}', ok(players([], '0'))),
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
  update('{"capacity":"101"}', ok(players(undefined, '101'))),
  update('{"capacity":"100"}', ok(players())),
  outOfRange(
    '{"capacity":"1001"}',
    refused('out of range. Capacity must be within range [0,1000]. Found Capacity: 1001'),
  ),
  outOfRange('{"capacity":"-1"}', refused('out of range. Capacity must be within range [0,1000]. Found Capacity: -1')),
  update('{"values":["b","test1","a"]}', ok(players(['test1', 'b', 'a']))),
  update('{"values":[]}', ok(players([]))),
  update('{"values":["a","a"]}', ok(players(['a']))),
  update('{"capacity":"2","values":["a","b","c"]}', ok(players(['a', 'b'], '2'))),
  refuse('{}', badMask('')),
  update('', ok(players())),
  refuse('{"x":1}', malformed),
  refuse('{', malformed),
  update('{"name":"rooms","capacity":"5"}', ok(players(['test0', 'test1', 'test2'], '5'))),
  update('{"capacity":null}', ok(players([], '0'))),
  update('{}', ok(players([])), '?updateMask=values'),
  update('{}', ok(players([], '0')), '?updateMask=capacity'),
  update('{"capacity":"5","values":["z"]}', ok(players(['test0', 'test1', 'test2'], '5')), '?updateMask=capacity'),
  update('{"capacity":"5","values":["z"]}', ok(players(['z'])), '?updateMask=values'),
  refuse('{"capacity":"5"}', badMask('foo'), '?updateMask=foo'),
  refuse('{"capacity":"5"}', badMask(''), '?updateMask='),
  update('{"capacity":"5"}', ok(players()), '?updateMask=name'),
  {
    name: 'adding after an update',
    steps: [
      {
        call: 'PATCH /v1beta1/lists/players',
        body: '{"values":["a"]}',
        expect: noRight,
        ours: ok(players(['a'])),
      },
      {
        call: 'POST /v1beta1/lists/players:addValue',
        body: '{"value":"b"}',
        expect: ok(players(['test0', 'test1', 'test2', 'b'])),
        ours: ok(players(['a', 'b'])),
      },
    ],
  },
  {
    name: 'a capacity, then one more',
    steps: [
      {
        call: 'PATCH /v1beta1/lists/players',
        body: '{"capacity":"3"}',
        expect: noRight,
        ours: ok(players(undefined, '3')),
      },
      {
        call: 'POST /v1beta1/lists/players:addValue',
        body: '{"value":"x"}',
        expect: ok(players(['test0', 'test1', 'test2', 'x'])),
        ours: refused('out of range. No available capacity. Current Capacity: 3, List Size: 3'),
      },
    ],
  },
]
