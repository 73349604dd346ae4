import { describe, expect, it } from 'vitest'
import { startHarness } from './support/harness.js'
import type { Harness } from './support/harness.js'

const checked = {
  spec: { health: { periodSeconds: 5, failureThreshold: 3, initialDelaySeconds: 20 } },
} as const

describe('production: health', () => {
  it('becomes Unhealthy after so many periods without a beat, counted from the initial delay', async () => {
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

  it('starts counting anew with every beat', async () => {
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

  it('never recovers, however many beats come', async () => {
    const { call, state, clock } = startHarness({ gameServer: checked })
    await call('GET', '/gameserver')
    clock.advance(40_000)
    await call('POST', '/health')
    await call('POST', '/ready')
    clock.advance(60_000)
    expect(state()).toBe('Unhealthy')
  })

  it('counts a beat that has no body as none and says so', async () => {
    const { sidecar, warnings } = startHarness({ gameServer: checked })
    const response = await sidecar.handle(new Request('http://localhost/health', { method: 'POST' }))
    expect([response.status, await response.text()]).toEqual([400, ''])
    expect(sidecar.snapshot().health.beats).toBe(0)
    expect(warnings()).toEqual(['beat-without-body'])
  })

  it('counts nothing in local mode', async () => {
    const { call, state, clock } = startHarness({ mode: 'local', gameServer: undefined })
    await call('GET', '/gameserver')
    clock.advance(3_600_000)
    expect(state()).toBe('Ready')
  })

  it('counts one failure, not hundreds, when the machine slept', async () => {
    const { call, sidecar, clock } = startHarness({ gameServer: checked })
    await call('GET', '/gameserver')
    clock.sleep(8 * 3_600_000)
    expect(sidecar.snapshot().health.failures).toBe(1)
  })

  it('answers beats without counting them while told to ignore them', async () => {
    const { call, state, clock, sidecar } = startHarness({ gameServer: checked })
    sidecar.control({ type: 'ignoreBeats', on: true })
    for (let i = 0; i < 20; i++) {
      expect(await call('POST', '/health')).toEqual([200, {}])
      clock.advance(2_000)
    }
    expect(state()).toBe('Unhealthy')
  })

  describe('the clock', () => {
    it('stands still until a game calls, whatever control commands and refused requests come', async () => {
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

    it('runs on at once when the process alone starts again, since the kubelet probes on', async () => {
      const { call, clock, sidecar, state } = startHarness({ gameServer: checked })
      await call('POST', '/health')
      clock.advance(1_000)
      sidecar.control({ type: 'restart' })
      expect(sidecar.snapshot().health.nextCheck).toBe(clock.now() + 20_000)
      clock.advance(31_000)
      expect(state()).toBe('Unhealthy')
    })

    it('waits for a game again when a fresh GameServer comes', async () => {
      const { call, clock, sidecar, state } = startHarness({ gameServer: checked })
      await call('POST', '/health')
      sidecar.control({ type: 'restart', fresh: true })
      clock.advance(3_600_000)
      expect(sidecar.snapshot().health.nextCheck).toBeUndefined()
      expect(state()).toBe('Scheduled')
    })
  })
})
