import { describe, expect, it } from 'vitest'
import { defaultConfig, resolveConfig } from '../../src/platform/sidecar.js'
import { startHarness } from './support/harness.js'

describe('the configuration', () => {
  it('every option has a default', () => {
    expect(resolveConfig()).toEqual(defaultConfig)
    expect(resolveConfig({ platform: undefined as never, featureGates: { CountsAndLists: false } })).toEqual({
      ...defaultConfig,
      featureGates: { CountsAndLists: false, PlayerTracking: false },
    })
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

describe('a conformance run', () => {
  it('names what is missing and what nobody expected', async () => {
    const { sidecar, call } = startHarness({ mode: 'local', conformance: ['ready', 'watch'] })
    await call('POST', '/ready')
    await call('POST', '/health')
    expect(sidecar.conformance()).toMatchObject({ ok: false, missing: ['watch'], unexpected: ['health'] })
  })

  it('takes a label only with the creation time as its value, an annotation only with the uid', async () => {
    const { sidecar, call } = startHarness({
      mode: 'local',
      gameServer: undefined,
      conformance: ['setlabel', 'setannotation'],
    })
    await call('PUT', '/metadata/label', { key: 'creation', value: '5' })
    await call('PUT', '/metadata/annotation', { key: 'uid', value: '1234' })
    expect(sidecar.conformance()).toMatchObject({
      ok: false,
      received: ['setannotation'],
      missing: ['setlabel'],
      problems: ['setlabel should have been called with "1893456000", not "5"'],
    })
  })

  it('takes each kind of counter update for itself', async () => {
    const { sidecar, call } = startHarness({
      mode: 'local',
      gameServer: undefined,
      conformance: ['updatecounter'],
    })
    await call('PATCH', '/v1beta1/counters/rooms', { count: 3 })
    expect(sidecar.conformance()).toMatchObject({
      ok: false,
      missing: ['updatecounter'],
      unexpected: ['setcountcounter'],
    })
  })

  it('counts the end of a reservation in local mode as ready, as the real one does', async () => {
    const { sidecar, call, clock } = startHarness({
      mode: 'local',
      gameServer: undefined,
      conformance: ['reserve'],
    })
    await call('POST', '/reserve', { seconds: 1 })
    clock.advance(1000)
    expect(sidecar.conformance()).toMatchObject({ ok: false, unexpected: ['ready'] })
  })

  it('an unknown name in conformance is refused', () => {
    expect(() => resolveConfig({ conformance: ['ready', 'fly'] })).toThrow(
      'conformance knows no "fly"; it knows ready, health',
    )
  })
})
