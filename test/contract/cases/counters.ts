import type { Answer, WireCase } from '../support/wire-case.js'
import { malformed, ok, one, refused, rooms, seen, step } from '../support/wire-case.js'

const path = '/v1beta1/counters/rooms'

/** Every answer of an update is what the counter then is; a refused one leaves it alone. */
const update = (body: string, expect: Answer): WireCase => {
  const left = expect.status === 200 ? expect : ok(rooms())
  const after = step(`GET ${path}`, undefined, left)
  return one(`update with ${body || 'no body'}`, `PATCH ${path}`, body, expect, after)
}

/** Counters: what can be asked, and what each answer says. */
export const counterCases: readonly WireCase[] = [
  one('a counter', 'GET /v1beta1/counters/rooms', undefined, ok(rooms('1'))),
  one('an unknown counter', 'GET /v1beta1/counters/nope', undefined, refused('not found. nope Counter not found')),
  one(
    'a list is no counter',
    'GET /v1beta1/counters/players',
    undefined,
    refused('not found. players Counter not found'),
  ),
  one(
    'updating an unknown counter',
    'PATCH /v1beta1/counters/nope',
    '{"count":"1"}',
    refused('not found. nope Counter not found'),
  ),
  one(
    'updating an unknown counter with nothing',
    'PATCH /v1beta1/counters/nope',
    '{}',
    refused('not found. nope Counter not found'),
  ),
  one('updating an unknown counter with a malformed body', 'PATCH /v1beta1/counters/nope', '{', malformed),
  update('{}', ok(rooms('1'))),
  update('', ok(rooms('1'))),
  update(' ', ok(rooms('1'))),
  update('null', malformed),
  update('[]', malformed),
  update('{', malformed),
  update('1', malformed),
  update('{"count":"5"}', ok(rooms('5'))),
  update('{"capacity":"20"}', ok(rooms('1', '20'))),
  update('{"countDiff":"3"}', ok(rooms('4'))),
  update('{"countDiff":"-1"}', ok(rooms('0'))),
  update(
    '{"countDiff":"-2"}',
    refused('out of range. Count must be within range [0,Capacity]. Found Count: -1, Capacity: 10'),
  ),
  update('{"countDiff":"0"}', ok(rooms('1'))),
  update('{"countDiff":"9"}', ok(rooms('10'))),
  update(
    '{"countDiff":"10"}',
    refused('out of range. Count must be within range [0,Capacity]. Found Count: 11, Capacity: 10'),
  ),
  update('{"countDiff":3}', ok(rooms('4'))),
  update('{"countDiff":null}', ok(rooms('1'))),
  update('{"count":"0"}', ok(rooms('0'))),
  update('{"count":"10"}', ok(rooms('10'))),
  update(
    '{"count":"11"}',
    refused('out of range. Count must be within range [0,Capacity]. Found Count: 11, Capacity: 10'),
  ),
  update(
    '{"count":"-1"}',
    refused('out of range. Count must be within range [0,Capacity]. Found Count: -1, Capacity: 10'),
  ),
  update('{"capacity":"-1"}', refused('out of range. Capacity must be greater than or equal to 0. Found Capacity: -1')),
  update('{"capacity":"0"}', ok(rooms('1', '0'))),
  update('{"capacity":"1"}', ok(rooms('1', '1'))),
  update(
    '{"count":"5","capacity":"4"}',
    refused('out of range. Count must be within range [0,Capacity]. Found Count: 5, Capacity: 4'),
  ),
  update('{"count":"15","capacity":"20"}', ok(rooms('15', '20'))),
  update('{"count":"5","countDiff":"2"}', ok(rooms('7'))),
  update(
    '{"count":"9","countDiff":"2"}',
    refused('out of range. Count must be within range [0,Capacity]. Found Count: 11, Capacity: 10'),
  ),
  update(
    '{"count":"11","countDiff":"-5"}',
    refused('out of range. Count must be within range [0,Capacity]. Found Count: 11, Capacity: 10'),
  ),
  update('{"capacity":"20","countDiff":"15"}', ok(rooms('16', '20'))),
  update('{"count":"0","capacity":"0"}', ok(rooms('0', '0'))),
  update('{"count":"0","capacity":"5","countDiff":"5"}', ok(rooms('5', '5'))),
  update(
    '{"capacity":"0","countDiff":"1"}',
    refused('out of range. Count must be within range [0,Capacity]. Found Count: 2, Capacity: 0'),
  ),
  update(
    '{"count":"1","capacity":"-1"}',
    refused('out of range. Capacity must be greater than or equal to 0. Found Capacity: -1'),
  ),
  update(
    '{"count":"-1","capacity":"-1"}',
    refused('out of range. Capacity must be greater than or equal to 0. Found Capacity: -1'),
  ),
  update('{"count_diff":"3"}', ok(rooms('1'))),
  update('{"countdiff":"3"}', ok(rooms('1'))),
  update('{"CountDiff":"3"}', ok(rooms('1'))),
  update('{"Count":"5"}', ok(rooms('1'))),
  update('{"COUNT":"5"}', ok(rooms('1'))),
  update('{"Capacity":"5"}', ok(rooms('1'))),
  update('{"name":"other","count":"5"}', ok(rooms('5'))),
  update('{"name":"other"}', ok(rooms('1'))),
  update('{"name":5}', malformed),
  update('{"name":null,"count":"2"}', ok(rooms('2'))),
  update('{"x":1}', ok(rooms('1'))),
  update('{"x":1,"count":"5"}', ok(rooms('5'))),
  update('{"count":"5","count":"6"}', malformed),
  update('{"count":"5","count":null}', malformed),
  update('{"count":null,"count":"5"}', malformed),
  update('{"count":null}', ok(rooms('1'))),
  update('{"capacity":null}', ok(rooms('1'))),
  update('{"count":null,"capacity":null,"countDiff":null}', ok(rooms('1'))),
  update('{"counterUpdateRequest":{"count":"5"}}', ok(rooms('1'))),
  update('{"count":"5"} x', ok(rooms('5'))),
  update('{"count":"5"}{"count":"6"}', ok(rooms('5'))),
  update('{"capacity":"9223372036854775807"}', ok(rooms('1', '9223372036854775807'))),
  update(
    '{"capacity":"9223372036854775807","count":"9223372036854775807"}',
    ok(rooms('9223372036854775807', '9223372036854775807')),
  ),
  update(
    '{"capacity":"9223372036854775807","count":"9223372036854775807","countDiff":"1"}',
    refused(
      'out of range. Count must be within range [0,Capacity]. Found Count: -9223372036854775808, Capaci' +
        'ty: 9223372036854775807',
    ),
  ),
  update(
    '{"countDiff":"9223372036854775807"}',
    refused(
      'out of range. Count must be within range [0,Capacity]. Found Count: -9223372036854775808, Capaci' + 'ty: 10',
    ),
  ),
  update(
    '{"countDiff":"-9223372036854775808"}',
    refused(
      'out of range. Count must be within range [0,Capacity]. Found Count: -9223372036854775807, Capaci' + 'ty: 10',
    ),
  ),
  update('{"countDiff":"9223372036854775808"}', malformed),
  update(
    '{"count":"-9223372036854775808"}',
    refused(
      'out of range. Count must be within range [0,Capacity]. Found Count: -9223372036854775808, Capaci' + 'ty: 10',
    ),
  ),
  update(
    '{"capacity":"-9223372036854775808"}',
    refused('out of range. Capacity must be greater than or equal to 0. Found Capacity: -9223372036854775808'),
  ),
  one('a query changes nothing: ?count=5', 'PATCH /v1beta1/counters/rooms?count=5', '{"count":"2"}', ok(rooms('2'))),
  one(
    'a query changes nothing: ?updateMask=count',
    'PATCH /v1beta1/counters/rooms?updateMask=count',
    '{"count":"2"}',
    ok(rooms('2')),
  ),
  one(
    'a query changes nothing: ?updateMask=foo',
    'PATCH /v1beta1/counters/rooms?updateMask=foo',
    '{"count":"2"}',
    ok(rooms('2')),
  ),
  one(
    'a query changes nothing: ?counterUpdateRequest.count=5',
    'PATCH /v1beta1/counters/rooms?counterUpdateRequest.count=5',
    '{"count":"2"}',
    ok(rooms('2')),
  ),
  one('a query changes nothing: ?x=%zz', 'PATCH /v1beta1/counters/rooms?x=%zz', '{"count":"2"}', ok(rooms('2'))),
  one('a query changes nothing: ?a;b', 'PATCH /v1beta1/counters/rooms?a;b', '{"count":"2"}', ok(rooms('2'))),
  one(
    'a query changes nothing: ?countDiff=5',
    'PATCH /v1beta1/counters/rooms?countDiff=5',
    '{"count":"2"}',
    ok(rooms('2')),
  ),
  {
    name: 'a capacity below the count keeps the count',
    steps: [
      step('PATCH /v1beta1/counters/rooms', '{"count":"5"}', ok(rooms('5'))),
      step('PATCH /v1beta1/counters/rooms', '{"capacity":"3"}', ok(rooms('5', '3'))),
      step(
        'PATCH /v1beta1/counters/rooms',
        '{"countDiff":"1"}',
        refused('out of range. Count must be within range [0,Capacity]. Found Count: 6, Capacity: 3'),
      ),
      step('PATCH /v1beta1/counters/rooms', '{"countDiff":"-3"}', ok(rooms('2', '3'))),
      step(
        'PATCH /v1beta1/counters/rooms',
        '{"count":"4"}',
        refused('out of range. Count must be within range [0,Capacity]. Found Count: 4, Capacity: 3'),
      ),
    ],
  },
  one(
    'a refused update changes nothing',
    'PATCH /v1beta1/counters/rooms',
    '{"capacity":"50","count":"60"}',
    refused('out of range. Count must be within range [0,Capacity]. Found Count: 60, Capacity: 50'),
    step('GET /v1beta1/counters/rooms', undefined, ok(rooms('1'))),
  ),
  {
    name: 'differences add up',
    steps: [
      step('PATCH /v1beta1/counters/rooms', '{"countDiff":"2"}', ok(rooms('3'))),
      step('PATCH /v1beta1/counters/rooms', '{"countDiff":"3"}', ok(rooms('6'))),
      step('PATCH /v1beta1/counters/rooms', '{"countDiff":"-1"}', ok(rooms('5'))),
      seen({ counters: { rooms: { count: '5', capacity: '10' } } }),
    ],
  },
  {
    name: 'exact to the last digit',
    steps: [
      step(
        'PATCH /v1beta1/counters/rooms',
        '{"capacity":"9223372036854775807","count":"9007199254740993"}',
        ok(rooms('9007199254740993', '9223372036854775807')),
      ),
      step(
        'PATCH /v1beta1/counters/rooms',
        '{"countDiff":"9214364837600034814"}',
        ok(rooms('9223372036854775807', '9223372036854775807')),
      ),
      step(
        'PATCH /v1beta1/counters/rooms',
        '{"countDiff":"1"}',
        refused(
          'out of range. Count must be within range [0,Capacity]. Found Count: -9223372036854775808, Ca' +
            'pacity: 9223372036854775807',
        ),
      ),
    ],
  },
]
