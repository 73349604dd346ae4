import type { Answer, WireCase } from '../support/wire-case.js'
import { badMask, malformed, ok, one, players, refused, seen, step } from '../support/wire-case.js'

const path = '/v1beta1/lists/players'

/** Every answer is what the list then is; a refused call leaves it alone. */
const update = (body: string, expect: Answer): WireCase => {
  const left = expect.status === 200 ? expect : ok(players())
  const after = step(`GET ${path}`, undefined, left)
  return one(`update with ${body || 'no body'}`, `PATCH ${path}`, body, expect, after)
}

/** Updating a list: what the body says. */
export const updateListCases: readonly WireCase[] = [
  one(
    'updating an unknown list',
    'PATCH /v1beta1/lists/nope',
    '{"capacity":"5"}',
    refused('not found. nope List not found'),
  ),
  one('updating an unknown list with nothing', 'PATCH /v1beta1/lists/nope', '{}', badMask('')),
  one(
    'updating an unknown list with an unknown mask',
    'PATCH /v1beta1/lists/nope?updateMask=foo',
    '{}',
    badMask('foo'),
  ),
  one(
    'updating a counter as a list',
    'PATCH /v1beta1/lists/rooms',
    '{"capacity":"5"}',
    refused('not found. rooms List not found'),
  ),
  update('{}', badMask('')),
  update('', ok(players())),
  update(' ', ok(players())),
  update('null', malformed),
  update('[]', malformed),
  update('{', malformed),
  update('1', malformed),
  update('"x"', malformed),
  update('{"capacity":"5"}', ok(players(['test0', 'test1', 'test2'], '5'))),
  update('{"capacity":"2"}', ok(players(['test0', 'test1'], '2'))),
  update('{"capacity":"0"}', ok(players([], '0'))),
  update('{"capacity":"1"}', ok(players(['test0'], '1'))),
  update('{"capacity":"100"}', ok(players())),
  {
    since: 'listLimit',
    ...update(
      '{"capacity":"101"}',
      refused('out of range. Capacity must be within range [0,1000]. Found Capacity: 101'),
    ),
  },
  {
    since: 'listLimit',
    ...update(
      '{"capacity":"1000"}',
      refused('out of range. Capacity must be within range [0,1000]. Found Capacity: 1000'),
    ),
  },
  update('{"capacity":"1001"}', refused('out of range. Capacity must be within range [0,1000]. Found Capacity: 1001')),
  update('{"capacity":"-1"}', refused('out of range. Capacity must be within range [0,1000]. Found Capacity: -1')),
  update('{"capacity":null}', ok(players([], '0'))),
  update('{"values":["a","b"]}', ok(players(['a', 'b']))),
  update('{"values":[]}', ok(players([]))),
  update('{"values":null}', ok(players([]))),
  update('{"values":["a","a"]}', ok(players(['a', 'a']))),
  update('{"values":[""]}', ok(players(['']))),
  update('{"values":["b","test1","a"]}', ok(players(['b', 'test1', 'a']))),
  update('{"values":"a"}', malformed),
  update('{"values":[1]}', malformed),
  update('{"values":[null]}', malformed),
  update('{"values":[["a"]]}', malformed),
  update('{"values":{}}', malformed),
  update('{"values":{"a":"b"}}', malformed),
  update('{"values":["a",]}', malformed),
  update('{"values":["\\ud800"]}', malformed),
  update('{"values":["日本"]}', ok(players(['日本']))),
  update('{"capacity":"2","values":["a","b","c"]}', ok(players(['a', 'b'], '2'))),
  update('{"capacity":"5","values":["a"]}', ok(players(['a'], '5'))),
  update('{"capacity":"0","values":["a"]}', ok(players([], '0'))),
  update(
    '{"capacity":"1001","values":["a"]}',
    refused('out of range. Capacity must be within range [0,1000]. Found Capacity: 1001'),
  ),
  update('{"name":"players","capacity":"5"}', ok(players(['test0', 'test1', 'test2'], '5'))),
  update('{"name":"other","capacity":"5"}', ok(players(['test0', 'test1', 'test2'], '5'))),
  update('{"name":"other"}', ok(players())),
  update('{"name":""}', ok(players())),
  update('{"name":null}', ok(players())),
  update('{"name":null,"capacity":"5"}', ok(players(['test0', 'test1', 'test2'], '5'))),
  update('{"name":1}', malformed),
  update('{"x":1}', malformed),
  update('{"x":1,"capacity":"5"}', malformed),
  update('{"x":null}', malformed),
  update('{"Capacity":"5"}', malformed),
  update('{"VALUES":["a"]}', malformed),
  update('{"value":["a"]}', malformed),
  update('{"capacity":"5","capacity":"6"}', malformed),
  update('{"values":["a"],"values":["b"]}', malformed),
  update('{"values":[],"capacity":"5"}', ok(players([], '5'))),
  update('{"capacity":"5"} x', ok(players(['test0', 'test1', 'test2'], '5'))),
  update('{"capacity":"5"}{"capacity":"6"}', ok(players(['test0', 'test1', 'test2'], '5'))),
  update('{"list":{"capacity":"5"}}', malformed),
  update('{"updateMask":"capacity","capacity":"5"}', malformed),
  update('{"update_mask":{"paths":["capacity"]},"capacity":"5"}', malformed),
  update('{"capacity":{"x":1}}', malformed),
  update('{"capacity":{}}', malformed),
  update('{"capacity":[]}', malformed),
  update('\ufeff{"capacity":"5"}', malformed),
  update('{"":1}', malformed),
  update('{"__proto__":1}', malformed),
  one(
    'a mask outweighs an unknown key in the body',
    'PATCH /v1beta1/lists/players?updateMask=capacity',
    '{"x":1,"capacity":"5"}',
    malformed,
  ),
  one(
    'a capacity that is refused though the mask leaves it out',
    'PATCH /v1beta1/lists/players?updateMask=values',
    '{"capacity":"1001","values":["a"]}',
    refused('out of range. Capacity must be within range [0,1000]. Found Capacity: 1001'),
  ),
  one('a malformed body and a mask', 'PATCH /v1beta1/lists/players?updateMask=values', '{', malformed),
  {
    name: 'values beyond the capacity are cut off',
    steps: [
      step('PATCH /v1beta1/lists/players', '{"capacity":"2"}', ok(players(['test0', 'test1'], '2'))),
      step('PATCH /v1beta1/lists/players', '{"values":["a","b","c"]}', ok(players(['a', 'b'], '2'))),
      step('GET /v1beta1/lists/players', undefined, ok(players(['a', 'b'], '2'))),
    ],
  },
  {
    name: 'the highest capacity is what the list called players began with',
    since: 'listLimit',
    steps: [
      step('PATCH /v1beta1/lists/players', '{"capacity":"50"}', ok(players(['test0', 'test1', 'test2'], '50'))),
      step('PATCH /v1beta1/lists/players', '{"capacity":"100"}', ok(players())),
      step(
        'PATCH /v1beta1/lists/players',
        '{"capacity":"101"}',
        refused('out of range. Capacity must be within range [0,1000]. Found Capacity: 101'),
      ),
    ],
  },
  {
    name: 'growing again does not bring values back',
    steps: [
      step('PATCH /v1beta1/lists/players', '{"capacity":"1"}', ok(players(['test0'], '1'))),
      step('PATCH /v1beta1/lists/players', '{"capacity":"10"}', ok(players(['test0'], '10'))),
    ],
  },
  one(
    'an update is seen in the object',
    'PATCH /v1beta1/lists/players',
    '{"capacity":"5","values":["a","b"]}',
    ok(players(['a', 'b'], '5')),
    seen({ lists: { players: { capacity: '5', values: ['a', 'b'] } } }),
  ),
]
