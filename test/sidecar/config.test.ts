import { describe, expect, it } from 'vitest'
import { defaultConfig, resolveConfig } from '../../src/sidecar/index.js'
import { startHarness } from './support/harness.js'

describe('the configuration', () => {
  it('has one default for everything', () => {
    expect(resolveConfig()).toEqual(defaultConfig)
    expect(resolveConfig({ platform: undefined as never, featureGates: { CountsAndLists: false } })).toEqual({
      ...defaultConfig,
      featureGates: { CountsAndLists: false, PlayerTracking: false },
    })
  })

  it.each([
    [{ mode: 'cluster' as never }, 'mode must be "local" or "production", not "cluster"'],
    [{ platform: 'Ag ones' }, 'platform must be lower-case letters, digits and dashes, not "Ag ones"'],
    [{ writeDelay: -1 }, 'writeDelay must be a number of at least 0, not -1'],
    [{ logEntries: NaN }, 'logEntries must be a number of at least 0, not NaN'],
  ])('%j is refused in a sentence', (config, message) => {
    expect(() => resolveConfig(config)).toThrow(message)
  })
})

describe('a GameServer manifest', () => {
  it('in production gives counters and lists by spec or status, status first', () => {
    const { sidecar } = startHarness({
      gameServer: {
        spec: {
          counters: { a: { count: 1, capacity: 2 }, b: { count: 3 } },
          lists: { l: { capacity: 5, values: ['x'] } },
        },
        status: { counters: { b: { count: '9223372036854775807', capacity: 9223372036854775807n } } },
      },
    })
    const { status, spec, object_meta: meta } = sidecar.snapshot().gameServer
    expect(status.counters).toEqual({
      a: { count: '1', capacity: '2' },
      b: { count: '9223372036854775807', capacity: '9223372036854775807' },
    })
    expect(status.lists).toEqual({ l: { capacity: '5', values: ['x'] } })
    expect(spec).toEqual({
      health: { disabled: false, period_seconds: 5, failure_threshold: 3, initial_delay_seconds: 5 },
    })
    expect(meta).toMatchObject({ name: 'local', namespace: 'default', creation_timestamp: '1893456000' })
    sidecar.close()
  })
})
