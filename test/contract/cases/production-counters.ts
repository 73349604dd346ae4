import type { Answer, WireCase } from '../support/wire-case.js'
import { malformed, ok, one, refused, rooms, step } from '../support/wire-case.js'

const path = '/v1beta1/counters/rooms'

/** An answer counts what is still to be written; a refused update leaves the counter alone. */
const update = (body: string, expect: Answer): WireCase => {
  const left = expect.status === 200 ? expect : ok(rooms())
  const after = step(`GET ${path}`, undefined, left)
  return one(`update with ${body || 'no body'}`, `PATCH ${path}`, body, expect, after)
}

/** Counters in production: answers count what is still to be written. */
export const productionCounterCases: readonly WireCase[] = [
  one('an unknown counter', 'GET /v1beta1/counters/nope', undefined, refused('counter not found: nope')),
  one('a counter without a name', 'GET /v1beta1/counters/', undefined, refused('counter not found: ')),
  one('a counter', 'GET /v1beta1/counters/rooms', undefined, ok(rooms('1'))),
  one(
    'an unknown counter updated with {"count":"1"}',
    'PATCH /v1beta1/counters/nope',
    '{"count":"1"}',
    refused('counter not found: nope'),
  ),
  one(
    'an unknown counter updated with {}',
    'PATCH /v1beta1/counters/nope',
    '{}',
    refused('invalid argument. Malformed CounterUpdateRequest: name:"nope"'),
  ),
  one(
    'an unknown counter updated with {"countDiff":"0"}',
    'PATCH /v1beta1/counters/nope',
    '{"countDiff":"0"}',
    refused('invalid argument. Malformed CounterUpdateRequest: name:"nope"'),
  ),
  one(
    'an unknown counter updated with {"capacity":"-1"}',
    'PATCH /v1beta1/counters/nope',
    '{"capacity":"-1"}',
    refused('counter not found: nope'),
  ),
  update('{}', refused('invalid argument. Malformed CounterUpdateRequest: name:"rooms"')),
  update('', refused('invalid argument. Malformed CounterUpdateRequest: name:"rooms"')),
  update('null', malformed),
  update('[]', malformed),
  update('{', malformed),
  update('{"countDiff":"0"}', refused('invalid argument. Malformed CounterUpdateRequest: name:"rooms"')),
  update('{"count":null}', refused('invalid argument. Malformed CounterUpdateRequest: name:"rooms"')),
  update('{"x":1}', refused('invalid argument. Malformed CounterUpdateRequest: name:"rooms"')),
  update('{"name":"other"}', refused('invalid argument. Malformed CounterUpdateRequest: name:"rooms"')),
  update('{"count_diff":"1"}', refused('invalid argument. Malformed CounterUpdateRequest: name:"rooms"')),
  update('{"count":"5"}', ok(rooms('5'))),
  update('{"capacity":"20"}', ok(rooms('1', '20'))),
  update('{"countDiff":"3"}', ok(rooms('4'))),
  update('{"countDiff":"-1"}', ok(rooms('0'))),
  update(
    '{"countDiff":"-2"}',
    refused('out of range. Count must be within range [0,Capacity]. Found Count: -1, Capacity: 10'),
  ),
  update(
    '{"countDiff":"10"}',
    refused('out of range. Count must be within range [0,Capacity]. Found Count: 11, Capacity: 10'),
  ),
  update(
    '{"count":"11"}',
    refused('out of range. Count must be within range [0,Capacity]. Found Count: 11, Capacity: 10'),
  ),
  update(
    '{"count":"-1"}',
    refused('out of range. Count must be within range [0,Capacity]. Found Count: -1, Capacity: 10'),
  ),
  update('{"capacity":"-1"}', refused('out of range. Capacity must be greater than or equal to 0. Found Capacity: -1')),
  update('{"capacity":"0"}', ok(rooms('0', '0'))),
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
  update(
    '{"capacity":"0","countDiff":"1"}',
    refused('out of range. Count must be within range [0,Capacity]. Found Count: 2, Capacity: 0'),
  ),
  update('{"count":"0","capacity":"0"}', ok(rooms('0', '0'))),
  update('{"name":"other","count":"5"}', ok(rooms('5'))),
  update('{"x":1,"count":"5"}', ok(rooms('5'))),
  update(
    '{"capacity":"9223372036854775807","count":"9223372036854775807"}',
    ok(rooms('9223372036854775807', '9223372036854775807')),
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
  update('{"capacity":"1"}', ok(rooms('1', '1'))),
  {
    name: 'differences add up while they wait',
    steps: [
      step('PATCH /v1beta1/counters/rooms', '{"countDiff":"2"}', ok(rooms('3'))),
      step('PATCH /v1beta1/counters/rooms', '{"countDiff":"3"}', ok(rooms('6'))),
      step(
        'PATCH /v1beta1/counters/rooms',
        '{"countDiff":"5"}',
        refused('out of range. Count must be within range [0,Capacity]. Found Count: 11, Capacity: 10'),
      ),
      step('PATCH /v1beta1/counters/rooms', '{"countDiff":"-6"}', ok(rooms('0'))),
      step('GET /v1beta1/counters/rooms', undefined, ok(rooms('0'))),
    ],
  },
  {
    name: 'a count that is set forgets the differences before it',
    steps: [
      step('PATCH /v1beta1/counters/rooms', '{"countDiff":"5"}', ok(rooms('6'))),
      step('PATCH /v1beta1/counters/rooms', '{"count":"2"}', ok(rooms('2'))),
      step('GET /v1beta1/counters/rooms', undefined, ok(rooms('2'))),
      step('PATCH /v1beta1/counters/rooms', '{"countDiff":"1"}', ok(rooms('3'))),
      step('GET /v1beta1/counters/rooms', undefined, ok(rooms('3'))),
    ],
  },
  {
    name: 'a capacity below the count truncates it',
    since: 'batches',
    steps: [
      step('PATCH /v1beta1/counters/rooms', '{"count":"5"}', ok(rooms('5'))),
      step('PATCH /v1beta1/counters/rooms', '{"capacity":"3"}', ok(rooms('3', '3'))),
      step('GET /v1beta1/counters/rooms', undefined, ok(rooms('3', '3'))),
      step(
        'PATCH /v1beta1/counters/rooms',
        '{"countDiff":"1"}',
        refused('out of range. Count must be within range [0,Capacity]. Found Count: 6, Capacity: 3'),
      ),
      step('PATCH /v1beta1/counters/rooms', '{"countDiff":"-3"}', ok(rooms('2', '3'))),
      step('GET /v1beta1/counters/rooms', undefined, ok(rooms('2', '3'))),
    ],
  },
  {
    name: 'a refused half of an update leaves the other half behind',
    steps: [
      step(
        'PATCH /v1beta1/counters/rooms',
        '{"capacity":"50","count":"60"}',
        refused('out of range. Count must be within range [0,Capacity]. Found Count: 60, Capacity: 50'),
      ),
      step('GET /v1beta1/counters/rooms', undefined, ok(rooms('1'))),
      step('PATCH /v1beta1/counters/rooms', '{"countDiff":"1"}', ok(rooms('2'))),
    ],
  },
]
