import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSidecar, createState, reduce, resolveConfig } from '../../src/platform/sidecar.js'
import type { ControlCommand, LogEntry, SidecarConfig, SidecarState } from '../../src/platform/sidecar.js'
import { VirtualClock } from '../support/virtual-clock.js'

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

type Action =
  | { readonly type: 'call'; readonly method: string; readonly path: string; readonly body: string }
  | { readonly type: 'control'; readonly command: ControlCommand }
  | { readonly type: 'advance'; readonly ms: number }
  | { readonly type: 'watch' }

const name = fc.constantFrom('rooms', 'players', 'nope')
const value = fc.constantFrom('a', 'b', 'c', 'd')
const call = (method: string, path: string, body: unknown = {}): Action => ({
  type: 'call',
  method,
  path,
  body: JSON.stringify(body),
})
const control = (command: ControlCommand): Action => ({ type: 'control', command })
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.constantFrom('/ready', '/allocate', '/shutdown', '/health').map((path) => call('POST', path)),
  fc.constantFrom(-1, 0, 1, 3, '9223372037').map((seconds) => call('POST', '/reserve', { seconds })),
  fc
    .tuple(fc.constantFrom('label', 'annotation'), fc.constantFrom('k', 'a/b', 'a b'), value)
    .map(([kind, key, v]) => call('PUT', `/metadata/${kind}`, { key, value: v })),
  fc
    .tuple(name, fc.integer({ min: -3, max: 12 }))
    .map(([n, countDiff]) => call('PATCH', `/v1beta1/counters/${n}`, { countDiff })),
  fc
    .tuple(name, fc.constantFrom('addValue', 'removeValue'), value)
    .map(([n, verb, v]) => call('POST', `/v1beta1/lists/${n}:${verb}`, { value: v })),
  fc
    .tuple(name, fc.uniqueArray(value), fc.integer({ min: 0, max: 5 }))
    .map(([n, values, capacity]) => call('PATCH', `/v1beta1/lists/${n}`, { values, capacity })),
  fc.constant(call('GET', '/nowhere')),
  fc.integer({ min: 0, max: 4000 }).map((ms): Action => ({ type: 'advance', ms })),
  fc.constant<Action>({ type: 'watch' }),
  fc
    .constantFrom<ControlCommand>(
      { type: 'allocate', counters: { rooms: { action: 'Increment', amount: 2 }, nope: { capacity: 1 } } },
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
      { type: 'failCalls', share: 0.5, operations: ['setLabel'] },
      { type: 'loseWrites', count: 2 },
      { type: 'dropWatchers', everyMs: 700 },
      { type: 'clearFaults' },
      { type: 'padObject', bytes: 100 },
      { type: 'apiServer', away: true },
      { type: 'apiServer', away: true, ms: 3_000 },
      { type: 'apiServer', away: false },
      { type: 'reload', gameServer: { metadata: { labels: { a: 'b' } } } },
    )
    .map(control),
)

async function perform(
  config: Partial<SidecarConfig>,
  actions: readonly Action[],
): Promise<{ entries: readonly LogEntry[]; start: SidecarState; end: unknown }> {
  const clock = new VirtualClock(Date.UTC(2030, 0, 1))
  const sidecar = createSidecar(config, clock)
  const start = createState(resolveConfig(config), clock.now())
  for (const step of actions) {
    if (step.type === 'advance') clock.advance(step.ms)
    else if (step.type === 'control') sidecar.control(step.command)
    else if (step.type === 'watch') sidecar.watch({ onMessage() {} })
    else {
      const init = { method: step.method, ...(step.method === 'GET' ? {} : { body: step.body }) }
      await sidecar.handle(new Request(`http://localhost${step.path}`, init)).catch(() => undefined)
    }
  }
  const entries = sidecar.log.entries()
  const { gameServer, pending, health, gone } = sidecar.snapshot()
  return {
    entries,
    start,
    end: { gameServer, pending: pending.length, failures: health.failures, gone },
  }
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
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
        const { entries, start, end } = await perform(config, actions)
        expect(view(replay(start, entries))).toEqual(end)
      }),
      { numRuns: 60 },
    )
  })

  it('a log replays after a round trip through JSON', async () => {
    const actions = [
      call('POST', '/ready'),
      { type: 'advance', ms: 5000 } as const,
      call('PUT', '/metadata/label', { key: '__proto__', value: 'x' }),
      { type: 'advance', ms: 600 } as const,
    ]
    const { entries, start, end } = await perform({ gameServer }, actions)
    expect(view(replay(start, JSON.parse(JSON.stringify(entries)) as LogEntry[]))).toEqual(end)
  })
})
