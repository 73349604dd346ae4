import type { Answer, WireCase } from '../support/wire-case.js'
import { malformed, ok, one, players, refused, seen, step } from '../support/wire-case.js'

const path = '/v1beta1/lists/players'

/** Every answer is what the list then is; a refused call leaves it alone. */
const addValue = (body: string, expect: Answer): WireCase => {
  const left = expect.status === 200 ? expect : ok(players())
  const after = step(`GET ${path}`, undefined, left)
  return one(`addValue with ${body || 'no body'}`, `POST ${path}:addValue`, body, expect, after)
}

/** Lists: reading, and adding a value. */
export const addValueCases: readonly WireCase[] = [
  one('a list', 'GET /v1beta1/lists/players', undefined, ok(players())),
  one('an unknown list', 'GET /v1beta1/lists/nope', undefined, refused('not found. nope List not found')),
  one('a counter is no list', 'GET /v1beta1/lists/rooms', undefined, refused('not found. rooms List not found')),
  one(
    'addValue on an unknown list',
    'POST /v1beta1/lists/nope:addValue',
    '{"value":"x"}',
    refused('not found. nope List not found'),
  ),
  one(
    'addValue on a counter',
    'POST /v1beta1/lists/rooms:addValue',
    '{"value":"x"}',
    refused('not found. rooms List not found'),
  ),
  addValue('{"value":"x"}', ok(players(['test0', 'test1', 'test2', 'x']))),
  addValue('{"value":"test1"}', refused('already exists. Value: test1 already in List: players')),
  addValue('{}', ok(players(['test0', 'test1', 'test2', '']))),
  addValue('', ok(players(['test0', 'test1', 'test2', '']))),
  addValue('null', malformed),
  addValue('[]', malformed),
  addValue('{', malformed),
  addValue('{"value":""}', ok(players(['test0', 'test1', 'test2', '']))),
  addValue('{"value":null}', ok(players(['test0', 'test1', 'test2', '']))),
  addValue('{"value":1}', malformed),
  addValue('{"value":true}', malformed),
  addValue('{"value":["x"]}', malformed),
  addValue('{"value":{}}', malformed),
  addValue('{"Value":"x"}', ok(players(['test0', 'test1', 'test2', '']))),
  addValue('{"values":["x"]}', ok(players(['test0', 'test1', 'test2', '']))),
  addValue('{"value":"x","value":"y"}', malformed),
  addValue('{"value":"x","extra":1}', ok(players(['test0', 'test1', 'test2', 'x']))),
  addValue('{"name":"other","value":"x"}', ok(players(['test0', 'test1', 'test2', 'x']))),
  addValue('{"name":1,"value":"x"}', malformed),
  addValue('{"value":"日本 \\ud83d\\ude00"}', ok(players(['test0', 'test1', 'test2', '日本 😀']))),
  addValue('{"value":"a\\nb\\u0000"}', ok(players(['test0', 'test1', 'test2', 'a\nb\u0000']))),
  addValue('{"value":"\\ud800"}', malformed),
  addValue('{"value":" test1"}', ok(players(['test0', 'test1', 'test2', ' test1']))),
  addValue('{"value":"TEST1"}', ok(players(['test0', 'test1', 'test2', 'TEST1']))),
  addValue('{"value":"__proto__"}', ok(players(['test0', 'test1', 'test2', '__proto__']))),
  addValue('{"value":"x"} trailing', ok(players(['test0', 'test1', 'test2', 'x']))),
  addValue('{"value":"x"}{"value":"y"}', ok(players(['test0', 'test1', 'test2', 'x']))),
  addValue('{"value":"' + 'v'.repeat(300) + '"}', ok(players(['test0', 'test1', 'test2', 'v'.repeat(300)]))),
  {
    name: 'an added value goes to the end',
    steps: [
      step('POST /v1beta1/lists/players:addValue', '{"value":"x"}', ok(players(['test0', 'test1', 'test2', 'x']))),
      step('POST /v1beta1/lists/players:addValue', '{"value":"a"}', ok(players(['test0', 'test1', 'test2', 'x', 'a']))),
      step('GET /v1beta1/lists/players', undefined, ok(players(['test0', 'test1', 'test2', 'x', 'a']))),
    ],
  },
  {
    name: 'an added value can be removed, and added again',
    steps: [
      step('POST /v1beta1/lists/players:addValue', '{"value":"x"}', ok(players(['test0', 'test1', 'test2', 'x']))),
      step('POST /v1beta1/lists/players:removeValue', '{"value":"x"}', ok(players())),
      step(
        'POST /v1beta1/lists/players:removeValue',
        '{"value":"x"}',
        refused('not found. Value: x not found in List: players'),
      ),
      step('POST /v1beta1/lists/players:addValue', '{"value":"x"}', ok(players(['test0', 'test1', 'test2', 'x']))),
    ],
  },
  {
    name: 'a duplicate is refused',
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
    name: 'removing keeps the order',
    steps: [
      step('POST /v1beta1/lists/players:removeValue', '{"value":"test1"}', ok(players(['test0', 'test2']))),
      step('GET /v1beta1/lists/players', undefined, ok(players(['test0', 'test2']))),
      step('POST /v1beta1/lists/players:removeValue', '{"value":"test0"}', ok(players(['test2']))),
      step('POST /v1beta1/lists/players:removeValue', '{"value":"test2"}', ok(players([]))),
      step(
        'POST /v1beta1/lists/players:removeValue',
        '{"value":"test2"}',
        refused('not found. Value: test2 not found in List: players'),
      ),
    ],
  },
  {
    name: 'an empty value can be added once and removed once',
    steps: [
      step('POST /v1beta1/lists/players:addValue', '{"value":""}', ok(players(['test0', 'test1', 'test2', '']))),
      step(
        'POST /v1beta1/lists/players:addValue',
        '{"value":""}',
        refused('already exists. Value: already in List: players'),
      ),
      step('POST /v1beta1/lists/players:removeValue', '{"value":""}', ok(players())),
      step(
        'POST /v1beta1/lists/players:removeValue',
        '{"value":""}',
        refused('not found. Value: not found in List: players'),
      ),
    ],
  },
  {
    name: 'a full list takes no more',
    steps: [
      step('PATCH /v1beta1/lists/players', '{"capacity":"3"}', ok(players(['test0', 'test1', 'test2'], '3'))),
      step(
        'POST /v1beta1/lists/players:addValue',
        '{"value":"x"}',
        refused('out of range. No available capacity. Current Capacity: 3, List Size: 3'),
      ),
      step(
        'POST /v1beta1/lists/players:addValue',
        '{"value":"test0"}',
        refused('out of range. No available capacity. Current Capacity: 3, List Size: 3'),
      ),
      step('POST /v1beta1/lists/players:removeValue', '{"value":"test0"}', ok(players(['test1', 'test2'], '3'))),
      step('POST /v1beta1/lists/players:addValue', '{"value":"x"}', ok(players(['test1', 'test2', 'x'], '3'))),
    ],
  },
  {
    name: 'a list of capacity 0 takes none',
    steps: [
      step('PATCH /v1beta1/lists/players', '{"capacity":"0"}', ok(players([], '0'))),
      step(
        'POST /v1beta1/lists/players:addValue',
        '{"value":"x"}',
        refused('out of range. No available capacity. Current Capacity: 0, List Size: 0'),
      ),
      step(
        'POST /v1beta1/lists/players:removeValue',
        '{"value":"x"}',
        refused('not found. Value: x not found in List: players'),
      ),
    ],
  },
  one(
    'a verb with its colon escaped is the same',
    'POST /v1beta1/lists/players%3AaddValue',
    '{"value":"x"}',
    ok(players(['test0', 'test1', 'test2', 'x'])),
  ),
  one(
    'lists are seen in the object',
    'POST /v1beta1/lists/players:addValue',
    '{"value":"x"}',
    ok(players(['test0', 'test1', 'test2', 'x'])),
    seen({ lists: { players: { capacity: '100', values: ['test0', 'test1', 'test2', 'x'] } } }),
  ),
]
