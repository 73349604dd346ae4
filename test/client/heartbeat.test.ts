import { describe, expect, test } from 'vitest'
import type { ClientOptions, HealthEvent, SidecarClient } from '../../src/index.js'
import type { LocalSidecar } from '../../src/node.js'
import { calls, connectClient, startSidecar, untilLogged } from '../support/with-sidecar.js'
import { VirtualClock } from '../support/virtual-clock.js'

const spec = (health: object) => ({ gameServer: { spec: { health } } })
const beats = (sidecar: LocalSidecar): number => calls(sidecar).filter((name) => name === 'health').length

interface Beating {
  client: SidecarClient
  sidecar: LocalSidecar
  clock: VirtualClock
  events: HealthEvent[]
}

/** A client by a clock that stands still, beside a sidecar with these rules for beats. */
async function beating(options: ClientOptions, health?: object): Promise<Beating> {
  const sidecar = await startSidecar(health ? spec(health) : {})
  const clock = new VirtualClock()
  const client = connectClient(sidecar, { scheduler: clock, now: clock.now, ...options })
  const events: HealthEvent[] = []
  client.on('health', (event) => void events.push(event))
  return { client, sidecar, clock, events }
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
  test('beats begin at once, and then come at half the period that the GameServer names', async () => {
    const { client, sidecar, clock } = await beating({ autoHealth: true }, { periodSeconds: 8, failureThreshold: 3 })
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

  test('tick() drives the beats of a host without timers, one after an hour too', async () => {
    const sidecar = await startSidecar()
    let time = 0
    const client = connectClient(sidecar, { autoHealth: { interval: 1000 }, scheduler: false, now: () => time })
    await untilLogged(sidecar, () => beats(sidecar) === 1)
    time = 999
    client.tick()
    time = 1000
    client.tick()
    await untilLogged(sidecar, () => beats(sidecar) === 2)
    time += 3_600_000
    client.tick()
    await untilLogged(sidecar, () => beats(sidecar) >= 3)
    await client.getGameServer()
    expect(beats(sidecar)).toBe(3)
  })

  const fault = new Error('stuck')
  test.each<[string, () => boolean | Promise<boolean>, RegExp]>([
    ['says false', () => false, /check/],
    [
      'throws',
      () => {
        throw fault
      },
      /stuck/,
    ],
    ['rejects', () => Promise.reject(fault), /stuck/],
  ])('no beat is sent while check() %s', async (_what, check, reason) => {
    const sidecar = await startSidecar()
    const client = connectClient(sidecar, { autoHealth: { interval: 20, check } })
    expect(await nextHealth(client)).toMatchObject({ ok: false, reason: expect.stringMatching(reason) })
    expect(await nextHealth(client)).toMatchObject({ ok: false })
    expect(beats(sidecar)).toBe(0)
  })

  test('health events tell the limit, and the risk before it is reached', async () => {
    let good = true
    const rules = { periodSeconds: 2, failureThreshold: 3 }
    const { client, clock, events } = await beating({ autoHealth: { check: () => good } }, rules)
    await client.connect()
    clock.advance(1000)
    await nextHealth(client)
    good = false
    for (let i = 0; i < 6; i++) {
      const said = nextHealth(client)
      clock.advance(1000)
      await said
    }
    const warning = events.find(({ atRisk }) => atRisk)!
    expect(warning.limit).toBe(6000)
    expect(warning.age).toBeLessThan(6000)
    expect(events.find(({ ok }) => !ok)?.atRisk).toBe(false)
  })
})

test('health() emits a health event and sets status.lastBeat without autoHealth', async () => {
  const { client, sidecar, events } = await beating({})
  await client.health()
  expect(events).toMatchObject([{ ok: true, reason: undefined, age: 0 }])
  expect(client.status).toMatchObject({ healthy: true, lastBeat: events[0]!.at, heartbeat: undefined })
  sidecar.control({ type: 'failCalls', status: 400, message: 'no', operations: ['health'] })
  await expect(client.health()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  expect(events[1]).toMatchObject({ ok: false, reason: expect.stringContaining('no') })
  expect(client.status).toMatchObject({ healthy: false, lastBeat: events[0]!.at })
})
