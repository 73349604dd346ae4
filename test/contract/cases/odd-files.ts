import type { WireCase } from '../support/wire-case.js'
import { fileGameServer, ok, players, refused, step } from '../support/wire-case.js'
import { documents, json, kindOnly, outOfRange, specOnly, times, withFullPlayers, withPlayers } from './manifests.js'

/** Started with a GameServer that lacks things, or that no cluster would have. */
export const oddFileCases: readonly WireCase[] = [
  {
    name: 'the list called players limits every list',
    since: 'listLimit',
    setup: { file: withPlayers },
    steps: [
      step(
        'PATCH /v1beta1/lists/teams',
        '{"capacity":"4"}',
        refused('out of range. Capacity must be within range [0,1000]. Found Capacity: 4'),
      ),
      step(
        'PATCH /v1beta1/lists/teams',
        '{"capacity":"3"}',
        ok({ name: 'teams', capacity: '3', values: ['red', 'blue'] }),
      ),
      step(
        'PATCH /v1beta1/lists/teams',
        '{"values":["a","b","c","d"]}',
        ok({ name: 'teams', capacity: '3', values: ['a', 'b', 'c'] }),
      ),
      step('PATCH /v1beta1/lists/players', '{"capacity":"2"}', ok(players([], '2'))),
      step(
        'PATCH /v1beta1/lists/teams',
        '{"capacity":"3"}',
        ok({ name: 'teams', capacity: '3', values: ['a', 'b', 'c'] }),
      ),
    ],
  },
  {
    name: 'an empty list',
    setup: { file: withPlayers },
    steps: [
      step('GET /v1beta1/lists/players', undefined, ok(players([], '3'))),
      step('POST /v1beta1/lists/players:addValue', '{"value":"a"}', ok(players(['a'], '3'))),
    ],
  },
  {
    name: 'a players list of capacity 0',
    since: 'listLimit',
    setup: { file: withFullPlayers },
    steps: [
      step(
        'PATCH /v1beta1/lists/teams',
        '{"capacity":"1"}',
        refused('out of range. Capacity must be within range [0,1000]. Found Capacity: 1'),
      ),
      step('PATCH /v1beta1/lists/teams', '{"capacity":"0"}', ok({ name: 'teams', capacity: '0', values: [] })),
      step('PATCH /v1beta1/lists/players', '{"capacity":"0"}', ok(players([], '0'))),
    ],
  },
  {
    name: 'a JSON file with next to nothing in it',
    setup: { file: json },
    steps: [
      step('GET /gameserver', undefined, ok(fileGameServer({ name: 'json' }, { state: 'Ready' }))),
      step('GET /v1beta1/counters/rooms', undefined, refused('not found. rooms Counter not found')),
      step('GET /v1beta1/lists/players', undefined, refused('not found. players List not found')),
      step('POST /ready', '{}', ok()),
      step('PUT /metadata/label', '{"key":"a","value":"b"}', ok()),
      step(
        'GET /gameserver',
        undefined,
        ok(fileGameServer({ name: 'json', labels: { 'agones.dev/sdk-a': 'b' } }, { state: 'Ready' })),
      ),
    ],
  },
  {
    name: 'a file without metadata and status',
    setup: { file: kindOnly },
    steps: [
      step('GET /gameserver', undefined, ok(fileGameServer({}))),
      step('PUT /metadata/annotation', '{"key":"a","value":"b"}', ok()),
      step('GET /gameserver', undefined, ok(fileGameServer({ annotations: { 'agones.dev/sdk-a': 'b' } }))),
    ],
  },
  {
    name: 'counters and lists of the spec are not read',
    setup: { file: specOnly },
    steps: [
      step('GET /gameserver', undefined, ok(fileGameServer({ name: 'spec-only' }, {}, { disabled: true }))),
      step('GET /v1beta1/counters/rooms', undefined, refused('not found. rooms Counter not found')),
      step('GET /v1beta1/lists/players', undefined, refused('not found. players List not found')),
    ],
  },
  {
    name: 'times, players and fields without effect of a file',
    setup: { file: times },
    steps: [
      step(
        'GET /gameserver',
        undefined,
        ok(
          fileGameServer(
            {
              name: 'time',
              creation_timestamp: '1704164645',
              deletion_timestamp: '1704164646',
              labels: { a: '1' },
            },
            { state: 'Reserved' },
          ),
        ),
      ),
    ],
  },
  {
    name: 'the first document of a file counts',
    setup: { file: documents },
    steps: [step('GET /gameserver', undefined, ok(fileGameServer({ name: 'first' })))],
  },
  {
    name: 'counters and lists of a file are taken as they are',
    setup: { file: outOfRange },
    steps: [
      step(
        'GET /gameserver',
        undefined,
        ok(
          fileGameServer(
            { name: 'counts' },
            {
              counters: {
                big: { count: '9223372036854775807', capacity: '9223372036854775807' },
                neg: { count: '-1', capacity: '-5' },
                none: { count: '0', capacity: '0' },
                over: { count: '9', capacity: '3' },
              },
              lists: {
                dup: { capacity: '9', values: ['a', 'a'] },
                none: { capacity: '0', values: [] },
                over: { capacity: '1', values: ['a', 'b'] },
                players: { capacity: '2000', values: [] },
              },
            },
          ),
        ),
      ),
    ],
  },
  {
    name: 'counters beyond their range can be brought back',
    setup: { file: outOfRange },
    steps: [
      step(
        'PATCH /v1beta1/counters/over',
        '{"countDiff":"-1"}',
        refused('out of range. Count must be within range [0,Capacity]. Found Count: 8, Capacity: 3'),
      ),
      step('PATCH /v1beta1/counters/over', '{"count":"3"}', ok({ name: 'over', count: '3', capacity: '3' })),
      step('PATCH /v1beta1/counters/neg', '{"capacity":"5"}', ok({ name: 'neg', count: '-1', capacity: '5' })),
      step('PATCH /v1beta1/counters/neg', '{"countDiff":"1"}', ok({ name: 'neg', count: '0', capacity: '5' })),
      step(
        'PATCH /v1beta1/counters/big',
        '{"countDiff":"1"}',
        refused(
          'out of range. Count must be within range [0,Capacity]. Found Count: -9223372036854775808, Ca' +
            'pacity: 9223372036854775807',
        ),
      ),
      step(
        'PATCH /v1beta1/counters/big',
        '{"countDiff":"-1"}',
        ok({ name: 'big', count: '9223372036854775806', capacity: '9223372036854775807' }),
      ),
      step('PATCH /v1beta1/counters/none', '{"capacity":"1"}', ok({ name: 'none', count: '0', capacity: '1' })),
    ],
  },
  {
    name: 'lists beyond their range',
    since: 'listLimit',
    setup: { file: outOfRange },
    steps: [
      step(
        'POST /v1beta1/lists/over:addValue',
        '{"value":"c"}',
        refused('out of range. No available capacity. Current Capacity: 1, List Size: 2'),
      ),
      step('POST /v1beta1/lists/over:removeValue', '{"value":"a"}', ok({ name: 'over', capacity: '1', values: ['b'] })),
      step('POST /v1beta1/lists/dup:removeValue', '{"value":"a"}', ok({ name: 'dup', capacity: '9', values: ['a'] })),
      step(
        'POST /v1beta1/lists/none:addValue',
        '{"value":"a"}',
        refused('out of range. No available capacity. Current Capacity: 0, List Size: 0'),
      ),
      step('PATCH /v1beta1/lists/dup', '{"capacity":"1500"}', ok({ name: 'dup', capacity: '1500', values: ['a'] })),
      step(
        'PATCH /v1beta1/lists/dup',
        '{"capacity":"2001"}',
        refused('out of range. Capacity must be within range [0,1000]. Found Capacity: 2001'),
      ),
    ],
  },
]
