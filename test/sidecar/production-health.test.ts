import { describe, expect, it } from 'vitest'
import { startHarness, type Harness, type Step } from './support/harness.js'

const gameServer = { spec: { health: { periodSeconds: 5, failureThreshold: 3, initialDelaySeconds: 20 } } } as const
const start = (): Harness => startHarness({ gameServer })
const many = (times: number, ...steps: Step[]): Step[] => Array.from({ length: times }, () => steps).flat()

describe('health in a pod', () => {
  it('without beats the GameServer becomes Unhealthy after failureThreshold periods, counted from the initial delay', async () => {
    const { play, states, sidecar, warnings } = await start().play('GET /gameserver', 20_000)
    expect(sidecar.snapshot().health.failures).toBe(1)
    await play(5_000)
    expect(sidecar.snapshot().health.failures).toBe(2)
    await play(5_000 + 499)
    expect(states()).toEqual([])
    await play(1)
    expect(states()).toEqual(['Unhealthy'])
    expect(warnings()).toEqual(['health-failure', 'health-failure', 'health-failure'])
  })

  it('every beat resets the count of failures', async () => {
    const { play, state, sidecar } = await start().play('GET /gameserver', 26_000)
    expect(sidecar.snapshot().health.failures).toBe(2)
    await play('/health')
    expect(sidecar.snapshot().health.failures).toBe(0)
    await play(...many(50, 2_500, '/health'))
    expect([state(), sidecar.snapshot().health.beats]).toEqual(['Scheduled', 51])
  })

  it.each<[string, Step[], string[]]>([
    ['warn once', [], ['never-ready']],
    ['warn of nothing after ready()', ['/ready'], []],
  ])('ten seconds of beats %s', async (_, before, expected) => {
    const { play, warnings } = await start().play(...before, ...many(5, '/health', 2_000))
    expect(warnings()).toEqual([])
    await play(...many(15, '/health', 2_000))
    expect(warnings()).toEqual(expected)
  })

  it('a health call without a body is no beat, and warns', async () => {
    const { sidecar, warnings } = start()
    const response = await sidecar.handle(new Request('http://localhost/health', { method: 'POST' }))
    expect([response.status, await response.text()]).toEqual([400, ''])
    expect(sidecar.snapshot().health.beats).toBe(0)
    expect(warnings()).toEqual(['beat-without-body'])
  })

  it('local mode counts no beats', async () => {
    const harness = startHarness({ mode: 'local', gameServer: undefined })
    expect((await harness.play('GET /gameserver', 3_600_000)).state()).toBe('Ready')
  })

  it('a machine that slept counts one failure, not hundreds', async () => {
    const { sidecar, clock } = await start().play('GET /gameserver')
    clock.sleep(8 * 3_600_000)
    expect(sidecar.snapshot().health.failures).toBe(1)
  })
})

describe('the health clock', () => {
  it('stands still until a game calls, despite control commands and refused requests', async () => {
    const { play, call, state, sidecar } = await start().play(3_600_000)
    expect((await call('GET', '/nowhere'))[0]).toBe(404)
    expect((await call('POST', '/gameserver'))[0]).toBe(501)
    await sidecar.handle(new Request('http://localhost/health', { method: 'POST' }))
    await play({ type: 'setLabel', key: 'a', value: 'b' }, { type: 'restart' }, 3_600_000)
    expect(sidecar.snapshot().health).toMatchObject({ nextCheck: undefined, failures: 0 })
    expect(state()).toBe('Scheduled')
  })

  it.each<[string, (harness: Harness) => unknown]>([
    ['a call', ({ play }) => play('GET /gameserver')],
    ['a beat', ({ play }) => play('/health')],
    ['a watch', ({ watch }) => watch()],
    [
      'a call that a fault makes fail',
      ({ play, call }) => play({ type: 'failCalls' }).then(() => call('POST', '/ready')),
    ],
  ])('starts with %s, and the first check comes after the initial delay', async (_, begin) => {
    const harness = await start().play(60_000)
    await begin(harness)
    const { now, health } = harness.sidecar.snapshot()
    expect(health.nextCheck).toBe(now + 20_000)
  })

  it('runs on after a restart of the process, since the kubelet keeps probing', async () => {
    const { play, clock, sidecar, state } = await start().play('/health', 1_000, { type: 'restart' })
    expect(sidecar.snapshot().health.nextCheck).toBe(clock.now() + 20_000)
    await play(31_000)
    expect(state()).toBe('Unhealthy')
  })

  it('of a fresh GameServer waits for a game', async () => {
    const { sidecar, state } = await start().play('/health', { type: 'restart', fresh: true }, 3_600_000)
    expect(sidecar.snapshot().health.nextCheck).toBeUndefined()
    expect(state()).toBe('Scheduled')
  })
})
