import { describe, expect, it } from 'vitest'
import type { ClientOptions, HealthEvent, SidecarClient } from '../../src/index.js'
import type { LocalSidecar } from '../../src/node/index.js'
import { calls, connectClient, startSidecar, untilLogged } from '../support/with-sidecar.js'
import { VirtualClock } from '../support/virtual-clock.js'

const spec = (health: object) => ({ gameServer: { spec: { health } } })
const beats = (sidecar: LocalSidecar): number => calls(sidecar).filter((name) => name === 'health').length

function onClock(sidecar: LocalSidecar, clock: VirtualClock, options: ClientOptions): [SidecarClient, HealthEvent[]] {
  const client = connectClient(sidecar, { scheduler: clock, now: clock.now, ...options })
  const events: HealthEvent[] = []
  client.on('health', (event) => void events.push(event))
  return [client, events]
}

/** Resolves with the next health event that passes. */
function nextHealth(client: SidecarClient, passes: (event: HealthEvent) => boolean = () => true): Promise<HealthEvent> {
  return new Promise((resolve) => {
    const off = client.on('health', (event) => {
      if (!passes(event)) return
      off()
      resolve(event)
    })
  })
}

describe('the heartbeat', () => {
  it('begins at once, and then comes at half the period that the sidecar names', async () => {
    const sidecar = await startSidecar(spec({ periodSeconds: 8, failureThreshold: 3 }))
    const clock = new VirtualClock()
    const [client] = onClock(sidecar, clock, { autoHealth: true })
    await untilLogged(sidecar, () => beats(sidecar) === 1)
    await client.connect()
    clock.advance(4000)
    await untilLogged(sidecar, () => beats(sidecar) === 2)
    clock.advance(3999)
    await client.getGameServer()
    expect(beats(sidecar)).toBe(2)
    clock.advance(1)
    await untilLogged(sidecar, () => beats(sidecar) === 3)
  })

  it('comes once after a long sleep, not once for each beat that was missed', async () => {
    const sidecar = await startSidecar()
    const slept: (() => void)[] = []
    let time = 0
    const client = connectClient(sidecar, {
      autoHealth: { interval: 1000 },
      now: () => time,
      // A host whose timers stand still while it sleeps.
      scheduler: { setTimeout: (callback) => slept.push(callback), clearTimeout: () => {} },
    })
    await untilLogged(sidecar, () => beats(sidecar) === 1)
    await client.connect()
    time += 3_600_000
    client.tick()
    await untilLogged(sidecar, () => beats(sidecar) >= 2)
    await client.getGameServer()
    expect(beats(sidecar)).toBe(2)
  })

  it('needs no timers of the host: tick() drives it', async () => {
    const sidecar = await startSidecar()
    let time = 0
    const client = connectClient(sidecar, { autoHealth: { interval: 1000 }, scheduler: false, now: () => time })
    await untilLogged(sidecar, () => beats(sidecar) === 1)
    time = 999
    client.tick()
    time = 1000
    client.tick()
    await untilLogged(sidecar, () => beats(sidecar) === 2)
  })

  it('goes on through lost beats, with two in flight at most', async () => {
    const sidecar = await startSidecar()
    const clock = new VirtualClock()
    const [client, events] = onClock(sidecar, clock, { autoHealth: { interval: 1000 } })
    await nextHealth(client)
    await client.connect()
    sidecar.control({ type: 'delayCalls', ms: 60_000, operations: ['health'], when: 'after' })
    for (let i = 0; i < 5; i++) {
      const before = beats(sidecar)
      clock.advance(1000)
      await untilLogged(sidecar, () => beats(sidecar) > before)
    }
    const failed = events.filter(({ ok }) => !ok)
    expect(failed.length).toBe(3)
    expect(failed[0]).toMatchObject({ reason: expect.stringMatching(/\w/), age: expect.any(Number) })
  })

  it('respects spec.health.disabled, and says so once', async () => {
    const sidecar = await startSidecar(spec({ disabled: true }))
    const clock = new VirtualClock()
    const [client, events] = onClock(sidecar, clock, { autoHealth: { interval: 1000 } })
    await nextHealth(client)
    await client.connect()
    const before = beats(sidecar)
    for (let i = 0; i < 3; i++) clock.advance(1000)
    await client.getGameServer()
    expect(beats(sidecar)).toBe(before)
    expect(events.filter(({ reason }) => reason === 'spec.health.disabled')).toHaveLength(1)
  })

  it.each([
    ['false', () => false, /said no/],
    [
      'an exception',
      () => {
        throw new Error('stuck')
      },
      /stuck/,
    ],
    ['a rejection', () => Promise.reject(new Error('stuck')), /stuck/],
  ])('is held back by a check() that answers %s', async (_name, check, reason) => {
    const sidecar = await startSidecar()
    const client = connectClient(sidecar, { autoHealth: { interval: 20, check } })
    expect(await nextHealth(client)).toMatchObject({ ok: false, reason: expect.stringMatching(reason) })
    expect(await nextHealth(client)).toMatchObject({ ok: false })
    expect(beats(sidecar)).toBe(0)
  })

  it('is held back by a check() that hangs, after its deadline', async () => {
    const sidecar = await startSidecar()
    const clock = new VirtualClock()
    const [client] = onClock(sidecar, clock, {
      autoHealth: { interval: 10_000, stallTimeout: 500, check: () => new Promise<boolean>(() => {}) },
    })
    const said = nextHealth(client)
    clock.advance(500)
    expect(await said).toMatchObject({ ok: false, reason: expect.stringContaining('500 ms') })
    expect(beats(sidecar)).toBe(0)
  })

  it('warns before the limit is reached, not after', async () => {
    const sidecar = await startSidecar(spec({ periodSeconds: 2, failureThreshold: 3 }))
    const clock = new VirtualClock()
    let good = true
    const [client, events] = onClock(sidecar, clock, { autoHealth: { check: () => good } })
    await client.connect()
    clock.advance(1000)
    await nextHealth(client)
    good = false
    for (let i = 0; i < 6; i++) {
      const said = nextHealth(client)
      clock.advance(1000)
      await said
    }
    const warning = events.find(({ atRisk }) => atRisk)
    expect(warning?.limit).toBe(6000)
    expect(warning?.age).toBeLessThan(6000)
    expect(events.filter(({ ok }) => !ok)[0]?.atRisk).toBe(false)
  })

  it('goes on by itself after a restart of the sidecar, with a beat as soon as that answers', async () => {
    const sidecar = await startSidecar()
    const client = connectClient(sidecar, { autoHealth: { interval: 60_000 } })
    await nextHealth(client, ({ ok }) => !!ok)
    const before = beats(sidecar)
    const restarted = sidecar.restart({ downMs: 400 })
    await client.health({ timeout: 50 }).catch(() => {})
    await restarted
    await client.getGameServer()
    expect(beats(sidecar)).toBeGreaterThanOrEqual(before)
    expect(client.status.healthy).toBe(true)
  })

  it('keeps a GameServer healthy while every other call fails and the watch is stalled', async () => {
    const sidecar = await startSidecar(spec({ periodSeconds: 1, failureThreshold: 1, initialDelaySeconds: 0 }))
    const client = connectClient(sidecar, { autoHealth: true, timeout: 300, retry: { timeout: 300 } })
    await client.connect()
    sidecar.control({ type: 'stallWatchers' })
    sidecar.control({ type: 'failCalls', operations: ['getGameServer', 'setLabel', 'addListValue'] })
    for (let i = 0; i < 8; i++) await client.setLabel('a', String(i)).catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, 3000)) // three periods must pass: there is no event for "nothing happened"
    expect(sidecar.sidecar.snapshot().health.failures).toBe(0)
  })
})

describe('health()', () => {
  it('emits a health event and sets status.lastBeat, also without autoHealth', async () => {
    const sidecar = await startSidecar()
    const client = connectClient(sidecar)
    const events: HealthEvent[] = []
    client.on('health', (event) => void events.push(event))
    await client.health()
    expect(events).toMatchObject([{ ok: true, reason: undefined, age: 0 }])
    expect(client.status).toMatchObject({ healthy: true, lastBeat: events[0]!.at, heartbeat: undefined })
  })

  it('emits one too where the sidecar refuses it', async () => {
    const sidecar = await startSidecar()
    const client = connectClient(sidecar)
    const events: HealthEvent[] = []
    client.on('health', (event) => void events.push(event))
    sidecar.control({ type: 'failCalls', status: 400, message: 'no', operations: ['health'] })
    await expect(client.health()).rejects.toThrow()
    expect(events).toMatchObject([{ ok: false, reason: expect.stringContaining('no') }])
    expect(client.status).toMatchObject({ healthy: false, lastBeat: undefined })
  })
})
