import { describe, expect, it } from 'vitest'
import { startHarness, type Harness } from './support/harness.js'

const checked = {
  spec: { health: { periodSeconds: 5, failureThreshold: 3, initialDelaySeconds: 20 } },
} as const

describe('production: health', () => {
  it('without beats the GameServer becomes Unhealthy after failureThreshold periods, counted from the initial delay', async () => {
    const { call, state, clock, sidecar, warnings } = startHarness({ gameServer: checked })
    await call('GET', '/gameserver')
    clock.advance(20_000)
    expect(sidecar.snapshot().health.failures).toBe(1)
    clock.advance(5_000)
    expect(sidecar.snapshot().health.failures).toBe(2)
    clock.advance(5_000 + 499)
    expect(state()).toBe('Scheduled')
    clock.advance(1)
    expect(state()).toBe('Unhealthy')
    expect(warnings()).toEqual(['health-failure', 'health-failure', 'health-failure'])
  })

  it('every beat resets the count of failures', async () => {
    const { call, state, clock, sidecar } = startHarness({ gameServer: checked })
    await call('GET', '/gameserver')
    clock.advance(26_000)
    expect(sidecar.snapshot().health.failures).toBe(2)
    expect(await call('POST', '/health')).toEqual([200, {}])
    expect(sidecar.snapshot().health.failures).toBe(0)
    for (let i = 0; i < 50; i++) {
      clock.advance(2_500)
      await call('POST', '/health')
    }
    expect(state()).toBe('Scheduled')
    expect(sidecar.snapshot().health.beats).toBe(51)
  })

  it('ten seconds of beats without ready() warn once, and with ready() never', async () => {
    for (const [isReady, expected] of [
      [false, ['never-ready']],
      [true, []],
    ] as const) {
      const { call, clock, warnings } = startHarness({ gameServer: checked })
      if (isReady) await call('POST', '/ready')
      for (let i = 0; i < 20; i++) {
        await call('POST', '/health')
        clock.advance(2_000)
        if (i === 4) expect(warnings()).toEqual([])
      }
      expect(warnings()).toEqual(expected)
    }
  })

  it('an Unhealthy GameServer never recovers, however many beats come', async () => {
    const { call, state, clock } = startHarness({ gameServer: checked })
    await call('GET', '/gameserver')
    clock.advance(40_000)
    await call('POST', '/health')
    await call('POST', '/ready')
    clock.advance(60_000)
    expect(state()).toBe('Unhealthy')
  })

  it('a health call without a body is no beat, and warns', async () => {
    const { sidecar, warnings } = startHarness({ gameServer: checked })
    const response = await sidecar.handle(new Request('http://localhost/health', { method: 'POST' }))
    expect([response.status, await response.text()]).toEqual([400, ''])
    expect(sidecar.snapshot().health.beats).toBe(0)
    expect(warnings()).toEqual(['beat-without-body'])
  })

  it('local mode counts no beats', async () => {
    const { call, state, clock } = startHarness({ mode: 'local', gameServer: undefined })
    await call('GET', '/gameserver')
    clock.advance(3_600_000)
    expect(state()).toBe('Ready')
  })

  it('a machine that slept counts one failure, not hundreds', async () => {
    const { call, sidecar, clock } = startHarness({ gameServer: checked })
    await call('GET', '/gameserver')
    clock.sleep(8 * 3_600_000)
    expect(sidecar.snapshot().health.failures).toBe(1)
  })

  it('with ignoreBeats, beats are answered and not counted', async () => {
    const { call, state, clock, sidecar } = startHarness({ gameServer: checked })
    sidecar.control({ type: 'ignoreBeats', on: true })
    for (let i = 0; i < 20; i++) {
      expect(await call('POST', '/health')).toEqual([200, {}])
      clock.advance(2_000)
    }
    expect(state()).toBe('Unhealthy')
  })

  describe('the clock', () => {
    it('the health clock stands still until a game calls, despite control commands and refused requests', async () => {
      const { call, state, clock, sidecar } = startHarness({ gameServer: checked })
      clock.advance(3_600_000)
      expect((await call('GET', '/nowhere'))[0]).toBe(404)
      expect((await call('POST', '/gameserver'))[0]).toBe(501)
      await sidecar.handle(new Request('http://localhost/health', { method: 'POST' }))
      sidecar.control({ type: 'setLabel', key: 'a', value: 'b' })
      sidecar.control({ type: 'restart' })
      clock.advance(3_600_000)
      expect(sidecar.snapshot().health).toMatchObject({ nextCheck: undefined, failures: 0 })
      expect(state()).toBe('Scheduled')
    })

    it.each([
      ['a call', async ({ call }: Harness) => void (await call('GET', '/gameserver'))],
      ['a beat', async ({ call }: Harness) => void (await call('POST', '/health'))],
      ['a watch', (harness: Harness) => void harness.watch()],
      [
        'a call that a fault makes fail',
        async ({ sidecar, call }: Harness) => {
          sidecar.control({ type: 'failCalls' })
          await call('POST', '/ready')
        },
      ],
    ])('starts with %s, and the first check comes after the initial delay', async (_, begin) => {
      const harness = startHarness({ gameServer: checked })
      harness.clock.advance(60_000)
      await begin(harness)
      const { now, health } = harness.sidecar.snapshot()
      expect(health.nextCheck).toBe(now + 20_000)
    })

    it('the health clock runs on after a restart of the process, since the kubelet keeps probing', async () => {
      const { call, clock, sidecar, state } = startHarness({ gameServer: checked })
      await call('POST', '/health')
      clock.advance(1_000)
      sidecar.control({ type: 'restart' })
      expect(sidecar.snapshot().health.nextCheck).toBe(clock.now() + 20_000)
      clock.advance(31_000)
      expect(state()).toBe('Unhealthy')
    })

    it('the health clock of a fresh GameServer waits for a game', async () => {
      const { call, clock, sidecar, state } = startHarness({ gameServer: checked })
      await call('POST', '/health')
      sidecar.control({ type: 'restart', fresh: true })
      clock.advance(3_600_000)
      expect(sidecar.snapshot().health.nextCheck).toBeUndefined()
      expect(state()).toBe('Scheduled')
    })
  })
})
