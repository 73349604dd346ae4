import type { WireCase } from '../support/wire-case.js'
import { badMask, fileGameServer, malformed, ok, refused, someTime, step } from '../support/wire-case.js'
import { full } from './manifests.js'

/** Started with a whole GameServer, or with a feature off. */
export const fileCases: readonly WireCase[] = [
  {
    name: 'a file is the object',
    setup: { file: full },
    steps: [
      step(
        'GET /gameserver',
        undefined,
        ok(
          fileGameServer(
            {
              name: 'mine',
              namespace: 'games',
              uid: 'abc',
              resource_version: '77',
              generation: '9',
              annotations: { note: 'one: two' },
              labels: { mode: 'duel' },
            },
            {
              state: 'Allocated',
              address: '192.0.2.7',
              addresses: [{ type: 'InternalIP', address: '192.0.2.8' }],
              ports: [
                { name: 'udp', port: 7001 },
                { name: 'tcp', port: 7002 },
              ],
              counters: { lives: { count: '3', capacity: '4' } },
              lists: { teams: { capacity: '5', values: ['red', 'blue'] } },
            },
            { period_seconds: 2, failure_threshold: 3, initial_delay_seconds: 4 },
          ),
        ),
      ),
    ],
  },
  {
    name: 'a counter from a file',
    setup: { file: full },
    steps: [
      step('GET /v1beta1/counters/lives', undefined, ok({ name: 'lives', count: '3', capacity: '4' })),
      step('PATCH /v1beta1/counters/lives', '{"countDiff":"1"}', ok({ name: 'lives', count: '4', capacity: '4' })),
      step(
        'PATCH /v1beta1/counters/lives',
        '{"countDiff":"1"}',
        refused('out of range. Count must be within range [0,Capacity]. Found Count: 5, Capacity: 4'),
      ),
    ],
  },
  {
    name: 'the default counter is gone',
    setup: { file: full },
    steps: [step('GET /v1beta1/counters/rooms', undefined, refused('not found. rooms Counter not found'))],
  },
  {
    name: 'a list from a file',
    setup: { file: full },
    steps: [
      step('GET /v1beta1/lists/teams', undefined, ok({ name: 'teams', capacity: '5', values: ['red', 'blue'] })),
      step(
        'POST /v1beta1/lists/teams:addValue',
        '{"value":"green"}',
        ok({ name: 'teams', capacity: '5', values: ['red', 'blue', 'green'] }),
      ),
    ],
  },
  {
    name: 'no list can be updated without a list called players',
    since: 'listLimit',
    setup: { file: full },
    steps: [
      step('PATCH /v1beta1/lists/teams', '{"capacity":"4"}', refused('no players for list')),
      step('PATCH /v1beta1/lists/nope', '{"capacity":"4"}', refused('no players for list')),
      step('PATCH /v1beta1/lists/teams?updateMask=foo', '{"capacity":"4"}', badMask('foo')),
      step('PATCH /v1beta1/lists/teams', '{"capacity":"-4"}', refused('no players for list')),
    ],
  },
  {
    name: 'state calls and labels on a file',
    setup: { file: full },
    steps: [
      step('POST /ready', '{}', ok()),
      step('PUT /metadata/label', '{"key":"a","value":"b"}', ok()),
      step('PUT /metadata/annotation', '{"key":"a","value":"b"}', ok()),
      step(
        'GET /gameserver',
        undefined,
        ok(
          fileGameServer(
            {
              name: 'mine',
              namespace: 'games',
              uid: 'abc',
              resource_version: '77',
              generation: '9',
              annotations: { 'agones.dev/sdk-a': 'b', note: 'one: two' },
              labels: { 'agones.dev/sdk-a': 'b', mode: 'duel' },
            },
            {
              state: 'Ready',
              address: '192.0.2.7',
              addresses: [{ type: 'InternalIP', address: '192.0.2.8' }],
              ports: [
                { name: 'udp', port: 7001 },
                { name: 'tcp', port: 7002 },
              ],
              counters: { lives: { count: '3', capacity: '4' } },
              lists: { teams: { capacity: '5', values: ['red', 'blue'] } },
            },
            { period_seconds: 2, failure_threshold: 3, initial_delay_seconds: 4 },
          ),
        ),
      ),
    ],
  },
  {
    name: 'without counters and lists the object has none',
    setup: { gates: 'CountsAndLists=false' },
    steps: [
      step(
        'GET /gameserver',
        undefined,
        ok({
          object_meta: {
            name: 'local',
            namespace: 'default',
            uid: '1234',
            resource_version: 'v1',
            generation: '1',
            creation_timestamp: someTime,
            deletion_timestamp: '0',
            annotations: { annotation: 'true' },
            labels: { islocal: 'true' },
          },
          spec: {
            health: { disabled: false, period_seconds: 3, failure_threshold: 5, initial_delay_seconds: 10 },
          },
          status: {
            state: 'Ready',
            address: '127.0.0.1',
            addresses: [],
            ports: [{ name: 'default', port: 7777 }],
            players: null,
            counters: {},
            lists: {},
          },
        }),
      ),
    ],
  },
  {
    name: 'without counters and lists: GET /v1beta1/counters/rooms',
    setup: { gates: 'CountsAndLists=false' },
    steps: [step('GET /v1beta1/counters/rooms', undefined, refused('CountsAndLists not enabled'))],
  },
  {
    name: 'without counters and lists: GET /v1beta1/counters/nope',
    setup: { gates: 'CountsAndLists=false' },
    steps: [step('GET /v1beta1/counters/nope', undefined, refused('CountsAndLists not enabled'))],
  },
  {
    name: 'without counters and lists: GET /v1beta1/lists/players',
    setup: { gates: 'CountsAndLists=false' },
    steps: [step('GET /v1beta1/lists/players', undefined, refused('CountsAndLists not enabled'))],
  },
  {
    name: 'without counters and lists: PATCH /v1beta1/counters/rooms {"count":"1"}',
    setup: { gates: 'CountsAndLists=false' },
    steps: [step('PATCH /v1beta1/counters/rooms', '{"count":"1"}', refused('CountsAndLists not enabled'))],
  },
  {
    name: 'without counters and lists: PATCH /v1beta1/counters/rooms {',
    setup: { gates: 'CountsAndLists=false' },
    steps: [step('PATCH /v1beta1/counters/rooms', '{', malformed)],
  },
  {
    name: 'without counters and lists: PATCH /v1beta1/lists/players {"capacity":"1"}',
    setup: { gates: 'CountsAndLists=false' },
    steps: [step('PATCH /v1beta1/lists/players', '{"capacity":"1"}', refused('CountsAndLists not enabled'))],
  },
  {
    name: 'without counters and lists: PATCH /v1beta1/lists/players {"x":"1"}',
    setup: { gates: 'CountsAndLists=false' },
    steps: [step('PATCH /v1beta1/lists/players', '{"x":"1"}', malformed)],
  },
  {
    name: 'without counters and lists: POST /v1beta1/lists/players:addValue {}',
    setup: { gates: 'CountsAndLists=false' },
    steps: [step('POST /v1beta1/lists/players:addValue', '{}', refused('CountsAndLists not enabled'))],
  },
  {
    name: 'without counters and lists: POST /v1beta1/lists/players:removeValue {}',
    setup: { gates: 'CountsAndLists=false' },
    steps: [step('POST /v1beta1/lists/players:removeValue', '{}', refused('CountsAndLists not enabled'))],
  },
  {
    name: 'a file, without counters and lists',
    setup: { file: full, gates: 'CountsAndLists=false' },
    steps: [
      step(
        'GET /gameserver',
        undefined,
        ok(
          fileGameServer(
            {
              name: 'mine',
              namespace: 'games',
              uid: 'abc',
              resource_version: '77',
              generation: '9',
              annotations: { note: 'one: two' },
              labels: { mode: 'duel' },
            },
            {
              state: 'Allocated',
              address: '192.0.2.7',
              addresses: [{ type: 'InternalIP', address: '192.0.2.8' }],
              ports: [
                { name: 'udp', port: 7001 },
                { name: 'tcp', port: 7002 },
              ],
            },
            { period_seconds: 2, failure_threshold: 3, initial_delay_seconds: 4 },
          ),
        ),
      ),
      step('GET /v1beta1/counters/lives', undefined, refused('CountsAndLists not enabled')),
    ],
  },
]
