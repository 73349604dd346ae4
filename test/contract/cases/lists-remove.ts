import type { Answer, WireCase } from '../support/wire-case.js'
import { malformed, ok, one, players, refused, step } from '../support/wire-case.js'

const path = '/v1beta1/lists/players'

/** Every answer is what the list then is; a refused call leaves it alone. */
const removeValue = (body: string, expect: Answer): WireCase => {
  const left = expect.status === 200 ? expect : ok(players())
  const after = step(`GET ${path}`, undefined, left)
  return one(`removeValue with ${body || 'no body'}`, `POST ${path}:removeValue`, body, expect, after)
}

/** Lists: removing a value. */
export const removeValueCases: readonly WireCase[] = [
  one(
    'removeValue on an unknown list',
    'POST /v1beta1/lists/nope:removeValue',
    '{"value":"x"}',
    refused('not found. nope List not found'),
  ),
  one(
    'removeValue on a counter',
    'POST /v1beta1/lists/rooms:removeValue',
    '{"value":"x"}',
    refused('not found. rooms List not found'),
  ),
  removeValue('{"value":"x"}', refused('not found. Value: x not found in List: players')),
  removeValue('{"value":"test1"}', ok(players(['test0', 'test2']))),
  removeValue('{}', refused('not found. Value: not found in List: players')),
  removeValue('', refused('not found. Value: not found in List: players')),
  removeValue('null', malformed),
  removeValue('[]', malformed),
  removeValue('{', malformed),
  removeValue('{"value":""}', refused('not found. Value: not found in List: players')),
  removeValue('{"value":null}', refused('not found. Value: not found in List: players')),
  removeValue('{"value":1}', malformed),
  removeValue('{"value":true}', malformed),
  removeValue('{"value":["x"]}', malformed),
  removeValue('{"value":{}}', malformed),
  removeValue('{"Value":"x"}', refused('not found. Value: not found in List: players')),
  removeValue('{"values":["x"]}', refused('not found. Value: not found in List: players')),
  removeValue('{"value":"x","value":"y"}', malformed),
  removeValue('{"value":"x","extra":1}', refused('not found. Value: x not found in List: players')),
  removeValue('{"name":"other","value":"x"}', refused('not found. Value: x not found in List: players')),
  removeValue('{"name":1,"value":"x"}', malformed),
  removeValue('{"value":"日本 \\ud83d\\ude00"}', refused('not found. Value: 日本 😀 not found in List: players')),
  removeValue('{"value":"a\\nb\\u0000"}', refused('not found. Value: a b\u0000 not found in List: players')),
  removeValue('{"value":"\\ud800"}', malformed),
  removeValue('{"value":" test1"}', refused('not found. Value: test1 not found in List: players')),
  removeValue('{"value":"TEST1"}', refused('not found. Value: TEST1 not found in List: players')),
  removeValue('{"value":"__proto__"}', refused('not found. Value: __proto__ not found in List: players')),
  removeValue('{"value":"x"} trailing', refused('not found. Value: x not found in List: players')),
  removeValue('{"value":"x"}{"value":"y"}', refused('not found. Value: x not found in List: players')),
  removeValue(
    '{"value":"' + 'v'.repeat(300) + '"}',
    refused('not found. Value: ' + 'v'.repeat(300) + ' not found in List: players'),
  ),
]
