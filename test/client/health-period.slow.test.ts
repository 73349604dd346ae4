import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/index.node.js'
import type { GameServer, HealthEvent, SchedulerLike } from '../../src/index.js'
import { hurried } from '../faults/manual-clock.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { collectUncaught } from '../support/uncaught.js'
import { startScripted } from '../support/with-scripted-sidecar.js'

/** A second takes 25 ms. */
const clock = hurried(40)
/** Like every host's, it has a shortest time: a beat after no time at all would keep this clock from going on. */
const scheduler: SchedulerLike = {
  setTimeout: (callback, ms) => clock.options.scheduler.setTimeout(callback, Math.max(ms, 20)),
  clearTimeout: clock.options.scheduler.clearTimeout,
}
const seconds = 20

const withHealth = (health: unknown): GameServer => ({ ...gameServer(1), spec: { health: health as never } })

/** The beats that a client sends within 20 s, and what it tells of them, beside a sidecar that says this of health. */
async function beatsWith(health: unknown): Promise<{ beats: number; events: HealthEvent[] }> {
  const sidecar = await startScripted()
  sidecar.publish(withHealth(health))
  const client = createClient({ ...clock.options, scheduler, baseUrl: sidecar.url, autoHealth: true })
  onTestFinished(() => client.close())
  const events: HealthEvent[] = []
  client.on('health', (event) => void events.push(event))
  client.on('gameserver', () => {})
  await clock.pass(seconds * 1000)
  return { beats: sidecar.requests.filter(({ path }) => path === '/health').length, events }
}

test.each([[{ toString: 1 }], [{}], [[]], [1e308], [3601], [-1], [0.01], ['0.1'], [true], [0], [null]])(
  'a period of %o seconds is none: the beats keep the rhythm of 2 s that they have without one',
  async (period) => {
    const uncaught = collectUncaught()
    const { beats, events } = await beatsWith({ disabled: false, period_seconds: period, failure_threshold: 3 })
    expect(uncaught).toEqual([])
    expect(beats).toBeGreaterThanOrEqual(8)
    expect(beats).toBeLessThanOrEqual(13)
    expect(events.map(({ ok }) => ok)).not.toContain(false)
    expect(events.at(-1)).toMatchObject({ limit: undefined, atRisk: false })
  },
)

test.each([[{ toString: 1 }], [-1], ['x']])(
  'a threshold of %o is none: the beats keep half the period, and no limit is told',
  async (threshold) => {
    const uncaught = collectUncaught()
    const { beats, events } = await beatsWith({ disabled: false, period_seconds: 8, failure_threshold: threshold })
    expect(uncaught).toEqual([])
    expect(beats).toBeGreaterThanOrEqual(4)
    expect(beats).toBeLessThanOrEqual(8)
    expect(events.at(-1)).toMatchObject({ ok: true, limit: undefined, atRisk: false })
  },
)

test.each([['text'], [7]])('a spec.health of %o is none', async (health) => {
  const uncaught = collectUncaught()
  const { beats } = await beatsWith(health)
  expect(uncaught).toEqual([])
  expect(beats).toBeGreaterThanOrEqual(8)
  expect(beats).toBeLessThanOrEqual(13)
})

test.each([
  [1, 40],
  [5, 8],
  [3600, 1],
])('a period of %d seconds is kept, with a beat at half of it', async (period, about) => {
  const { beats, events } = await beatsWith({ disabled: false, period_seconds: period, failure_threshold: 3 })
  expect(beats).toBeGreaterThanOrEqual(about * 0.7 - 1)
  expect(beats).toBeLessThanOrEqual(about * 1.3 + 2)
  expect(events.at(-1)).toMatchObject({ ok: true })
  if (period < 3600) expect(events.at(-1)?.limit).toBe(period * 3000)
})
