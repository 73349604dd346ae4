import type { WireCase } from '../support/wire-case.js'
import { localGameServer, malformed, ok, one, rooms, seen, step, wrongMethod } from '../support/wire-case.js'

/** The state as each call leaves it. */
export const lifecycleCases: readonly WireCase[] = [
  one('the object before any call', 'GET /gameserver', undefined, ok(localGameServer())),
  one('ready sets the state', 'POST /ready', '{}', ok(), seen()),
  one('allocate sets the state', 'POST /allocate', '{}', ok(), seen({ state: 'Allocated' })),
  one('shutdown sets the state', 'POST /shutdown', '{}', ok(), seen({ state: 'Shutdown' })),
  one('reserve sets the state', 'POST /reserve', '{"seconds":"0"}', ok(), seen({ state: 'Reserved' })),
  {
    name: 'ready, then ready',
    steps: [step('POST /ready', '{}', ok()), seen(), step('POST /ready', '{}', ok()), seen()],
  },
  {
    name: 'ready, then allocate',
    steps: [step('POST /ready', '{}', ok()), seen(), step('POST /allocate', '{}', ok()), seen({ state: 'Allocated' })],
  },
  {
    name: 'ready, then shutdown',
    steps: [step('POST /ready', '{}', ok()), seen(), step('POST /shutdown', '{}', ok()), seen({ state: 'Shutdown' })],
  },
  {
    name: 'ready, then reserve',
    steps: [
      step('POST /ready', '{}', ok()),
      seen(),
      step('POST /reserve', '{"seconds":"0"}', ok()),
      seen({ state: 'Reserved' }),
    ],
  },
  {
    name: 'allocate, then ready',
    steps: [step('POST /allocate', '{}', ok()), seen({ state: 'Allocated' }), step('POST /ready', '{}', ok()), seen()],
  },
  {
    name: 'allocate, then allocate',
    steps: [
      step('POST /allocate', '{}', ok()),
      seen({ state: 'Allocated' }),
      step('POST /allocate', '{}', ok()),
      seen({ state: 'Allocated' }),
    ],
  },
  {
    name: 'allocate, then shutdown',
    steps: [
      step('POST /allocate', '{}', ok()),
      seen({ state: 'Allocated' }),
      step('POST /shutdown', '{}', ok()),
      seen({ state: 'Shutdown' }),
    ],
  },
  {
    name: 'allocate, then reserve',
    steps: [
      step('POST /allocate', '{}', ok()),
      seen({ state: 'Allocated' }),
      step('POST /reserve', '{"seconds":"0"}', ok()),
      seen({ state: 'Reserved' }),
    ],
  },
  {
    name: 'shutdown, then ready',
    steps: [step('POST /shutdown', '{}', ok()), seen({ state: 'Shutdown' }), step('POST /ready', '{}', ok()), seen()],
  },
  {
    name: 'shutdown, then allocate',
    steps: [
      step('POST /shutdown', '{}', ok()),
      seen({ state: 'Shutdown' }),
      step('POST /allocate', '{}', ok()),
      seen({ state: 'Allocated' }),
    ],
  },
  {
    name: 'shutdown, then shutdown',
    steps: [
      step('POST /shutdown', '{}', ok()),
      seen({ state: 'Shutdown' }),
      step('POST /shutdown', '{}', ok()),
      seen({ state: 'Shutdown' }),
    ],
  },
  {
    name: 'shutdown, then reserve',
    steps: [
      step('POST /shutdown', '{}', ok()),
      seen({ state: 'Shutdown' }),
      step('POST /reserve', '{"seconds":"0"}', ok()),
      seen({ state: 'Reserved' }),
    ],
  },
  {
    name: 'reserve, then ready',
    steps: [
      step('POST /reserve', '{"seconds":"0"}', ok()),
      seen({ state: 'Reserved' }),
      step('POST /ready', '{}', ok()),
      seen(),
    ],
  },
  {
    name: 'reserve, then allocate',
    steps: [
      step('POST /reserve', '{"seconds":"0"}', ok()),
      seen({ state: 'Reserved' }),
      step('POST /allocate', '{}', ok()),
      seen({ state: 'Allocated' }),
    ],
  },
  {
    name: 'reserve, then shutdown',
    steps: [
      step('POST /reserve', '{"seconds":"0"}', ok()),
      seen({ state: 'Reserved' }),
      step('POST /shutdown', '{}', ok()),
      seen({ state: 'Shutdown' }),
    ],
  },
  {
    name: 'reserve, then reserve',
    steps: [
      step('POST /reserve', '{"seconds":"0"}', ok()),
      seen({ state: 'Reserved' }),
      step('POST /reserve', '{"seconds":"0"}', ok()),
      seen({ state: 'Reserved' }),
    ],
  },
  one('a state call without a body acts', 'POST /allocate', undefined, ok(), seen({ state: 'Allocated' })),
  one('a malformed body does not act', 'POST /allocate', '{', malformed, seen()),
  one(
    'more after the object is not read, and the call acts',
    'POST /allocate',
    '{} x',
    ok(),
    seen({ state: 'Allocated' }),
  ),
  {
    name: 'a wrong method does not act',
    steps: [step('GET /allocate', undefined, wrongMethod), seen()],
  },
  {
    name: 'resource version and generation never move',
    steps: [
      step('POST /allocate', '{}', ok()),
      step('PUT /metadata/label', '{"key":"a","value":"b"}', ok()),
      step('PATCH /v1beta1/counters/rooms', '{"count":"2"}', ok(rooms('2'))),
      seen({
        state: 'Allocated',
        labels: { 'agones.dev/sdk-a': 'b' },
        counters: { rooms: { count: '2', capacity: '10' } },
      }),
    ],
  },
  {
    name: 'writes still work after Shutdown',
    steps: [
      step('POST /shutdown', '{}', ok()),
      step('PUT /metadata/label', '{"key":"a","value":"b"}', ok()),
      step('PATCH /v1beta1/counters/rooms', '{"count":"2"}', ok(rooms('2'))),
      seen({
        state: 'Shutdown',
        labels: { 'agones.dev/sdk-a': 'b' },
        counters: { rooms: { count: '2', capacity: '10' } },
      }),
    ],
  },
]
