import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createState, reduce, resolveConfig } from '../../src/platform/sidecar.js'
import type { ControlCommand, LogEntry, SidecarConfig, SidecarState } from '../../src/platform/sidecar.js'
import { startHarness, type Step } from './support/harness.js'

function replay(initial: SidecarState, entries: readonly LogEntry[]): SidecarState {
  return entries.reduce((state, { event, at }) => freeze(reduce(state, event, at).state), freeze(initial))
}

/** Freezes a value on every level, so that a write to it throws: states are shared and must never change. */
function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(freeze)
  }
  return value
}

const name = fc.constantFrom('rooms', 'players', 'nope')
const value = fc.constantFrom('a', 'b', 'c', 'd')
const post = (path: string, body: unknown = {}): Step => `${path} ${JSON.stringify(body)}`
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom('/ready', '/allocate', '/shutdown', '/health', 'GET /nowhere', 'watch'),
  fc.constantFrom(-1, 0, 1, 3, '9223372037').map((seconds) => post('/reserve', { seconds })),
  fc
    .tuple(fc.constantFrom('label', 'annotation'), fc.constantFrom('k', 'a/b', 'a b'), value)
    .map(([kind, key, v]) => post(`PUT /metadata/${kind}`, { key, value: v })),
  fc
    .tuple(name, fc.integer({ min: -3, max: 12 }))
    .map(([n, countDiff]) => post(`PATCH /v1beta1/counters/${n}`, { countDiff })),
  fc
    .tuple(name, fc.constantFrom('addValue', 'removeValue'), value)
    .map(([n, verb, v]) => post(`/v1beta1/lists/${n}:${verb}`, { value: v })),
  fc
    .tuple(name, fc.uniqueArray(value), fc.integer({ min: 0, max: 5 }))
    .map(([n, values, capacity]) => post(`PATCH /v1beta1/lists/${n}`, { values, capacity })),
  fc.integer({ min: 0, max: 4000 }),
  fc.constantFrom<ControlCommand>(
    {
      type: 'allocate',
      counters: { rooms: { action: 'Increment', amount: 2 }, nope: { capacity: 1 } },
    },
    { type: 'setState', state: 'Ready' },
    { type: 'makeUnhealthy' },
    { type: 'restart' },
    { type: 'restart', fresh: true },
    { type: 'dropWatchers' },
    { type: 'stallWatchers', ms: 700 },
    { type: 'delete', graceMs: 900 },
    { type: 'ignoreBeats', on: true },
    { type: 'failCalls', count: 2, operations: ['ready'] },
    { type: 'ignoreBeats', on: true, count: 2 },
    { type: 'loseWrites', count: 2 },
    { type: 'clearFaults' },
    { type: 'padObject', bytes: 100 },
    { type: 'apiServer', away: true },
    { type: 'apiServer', away: true, ms: 3_000 },
    { type: 'apiServer', away: false },
    { type: 'reload', gameServer: { metadata: { labels: { a: 'b' } } } },
  ),
)

async function perform(config: Partial<SidecarConfig>, steps: readonly Step[]) {
  const { sidecar, clock, play, watch } = startHarness({ gameServer: undefined, ...config })
  const start = createState(resolveConfig(config), clock.now())
  // What is refused has an entry too.
  for (const one of steps) {
    if (one === 'watch') watch()
    else await play(one).catch(() => undefined)
  }
  const { gameServer, pending, health, gone } = sidecar.snapshot()
  const end = { gameServer, pending: pending.length, failures: health.failures, gone }
  return { entries: sidecar.log.entries(), start, end }
}

const view = (state: SidecarState): unknown => ({
  gameServer: state.object,
  pending: Object.keys(state.process.due).length,
  failures: state.process.health.failures,
  gone: state.gone,
})

describe('replay', () => {
  const health = { periodSeconds: 2, failureThreshold: 4, initialDelaySeconds: 1 }
  const gameServer = {
    spec: {
      health,
      counters: { rooms: { count: 1, capacity: 10 } },
      lists: { rooms: { capacity: 4 }, players: { capacity: 4 } },
    },
  }

  it.each([
    { mode: 'production', gameServer } as const,
    { mode: 'production', replaceAfter: 1_000, gameServer } as const,
    { mode: 'local' } as const,
  ])('a replay of the log gives the same state and mutates none: %j', async (config) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { entries, start, end } = await perform(config, steps)
        expect(view(replay(start, entries))).toEqual(end)
      }),
      { numRuns: 60 },
    )
  })
})
