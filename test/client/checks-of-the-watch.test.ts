import { describe, expect, onTestFinished, test } from 'vitest'
import { observe, type Observed } from '../faults/observe.js'
import type { ClientOptions } from '../../src/index.js'
import type { Rule, ScriptedSidecar } from '../support/fault-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { answering, sending } from '../support/fault-server-steps.js'
import { VirtualClock } from '../support/virtual-clock.js'
import { startScripted } from '../support/with-scripted-sidecar.js'

interface Watching extends Observed {
  sidecar: ScriptedSidecar
  /** Lets time pass in steps of 20 ms, with time for the network after each. */
  pass(ms: number): Promise<void>
  reads(): number
  watches(): number
}

/** A client whose watch has just been established, by a clock that stands still. */
async function watching(options: ClientOptions, rules: readonly Rule[] = []): Promise<Watching> {
  const sidecar = await startScripted(rules)
  const clock = new VirtualClock()
  const observed = observe({
    baseUrl: sidecar.url,
    watch: 'stream',
    random: () => 0,
    now: clock.now,
    scheduler: clock,
    ...options,
  })
  onTestFinished(() => observed.client.close())
  await observed.until(() => observed.client.status.transport !== undefined, 'the watch')
  const count = (path: string): number => sidecar.requests.filter((request) => request.path === path).length
  return Object.assign(Object.create(observed) as Observed, {
    sidecar,
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 20) {
        clock.advance(20)
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    },
    reads: () => count('/gameserver') - 1,
    watches: () => count('/watch/gameserver'),
  })
}

describe('a watch that has begun is checked after 100 ms,', () => {
  test('and no more where that is switched off', async () => {
    const { pass, reads } = await watching({ verifyInterval: 0 })
    await pass(80)
    expect(reads()).toBe(0)
    await pass(200)
    expect(reads()).toBe(1)
    await pass(3000)
    expect(reads()).toBe(1)
  })

  test('and then as often as the option says', async () => {
    const { pass, reads } = await watching({ verifyInterval: 1000 })
    await pass(300)
    expect(reads()).toBe(1)
    await pass(1000)
    expect(reads()).toBe(2)
    await pass(1000)
    expect(reads()).toBe(3)
  })
})

test('a watch that has just talked is asked about only when it has been quiet for the interval', async () => {
  const { sidecar, pass, reads, seen } = await watching({ verifyInterval: 1000 })
  await pass(300)
  expect(reads()).toBe(1)
  await pass(500)
  sidecar.publish(gameServer(2))
  await seen(2)
  await pass(700)
  expect(reads()).toBe(1)
  await pass(500)
  expect(reads()).toBe(2)
})

describe('what a check finds before the watch tells it', () => {
  const hidden = sending([gameServer(1)])

  test('is left to the watch for half a second, and then told, and the watch is opened anew', async () => {
    const all = await watching({ verifyInterval: 1000 }, [{ on: 'watch', nth: 1, step: hidden }])
    all.sidecar.publish(gameServer(2))
    await all.pass(500)
    expect(all.reads()).toBe(1)
    expect(all.versions).toEqual(['1'])
    await all.pass(400)
    expect(all.versions).toEqual(['1', '2'])
    expect(all.watches()).toBe(2)
    all.sidecar.publish(gameServer(3))
    await all.seen(3)
    expect(all.errors).toEqual([])
  })

  test('is nothing where the watch tells it in time', async () => {
    const all = await watching({ verifyInterval: 5000 }, [
      { on: 'GET /gameserver', nth: 2, step: answering({ body: JSON.stringify(gameServer(2)) }) },
    ])
    await all.pass(300)
    expect(all.reads()).toBe(1)
    all.sidecar.publish(gameServer(2))
    await all.pass(500)
    expect(all.versions).toEqual(['1', '2'])
    expect(all.watches()).toBe(1)
    // It was talking: the check is made again once it is quiet.
    await all.pass(1000)
    expect(all.reads()).toBe(2)
    expect(all.watches()).toBe(1)
  })

  test('is nothing where it is older than what the watch has told', async () => {
    const old = { ...gameServer(1, 'Scheduled'), spec: {} }
    const all = await watching({ verifyInterval: 0 })
    all.sidecar.publish(gameServer(2))
    await all.seen(2)
    all.sidecar.play([{ on: 'GET /gameserver', step: answering({ body: JSON.stringify(old) }) }])
    await all.pass(1000)
    expect(all.reads()).toBeGreaterThan(0)
    expect(all.versions).toEqual(['1', '2'])
    expect(all.watches()).toBe(1)
  })

  test('is told without a new watch where no watch tells it: a counter', async () => {
    const plain = gameServer(1)
    const counters = { rooms: { count: '1', capacity: '2' } }
    const all = await watching({ verifyInterval: 0 })
    all.sidecar.play([
      {
        on: 'GET /gameserver',
        step: answering({ body: JSON.stringify({ ...plain, status: { ...plain.status, counters } }) }),
      },
    ])
    await all.pass(300)
    expect(all.gameServers.map(({ status }) => status.counters)).toEqual([{}, counters])
    await all.pass(500)
    expect(all.watches()).toBe(1)
  })
})

describe('a check that fails', () => {
  test('for now ends the watch, half a second later', async () => {
    const all = await watching({ verifyInterval: 0 })
    all.sidecar.play([{ on: 'GET /gameserver', nth: 1, step: answering({ status: 503 }) }])
    await all.pass(500)
    expect(all.watches()).toBe(1)
    await all.pass(500)
    expect(all.watches()).toBe(2)
    expect(all.connections.map(({ state }) => state)).toContain('reconnecting')
    expect(all.errors).toEqual([])
  })

  test('for now is nothing where the watch goes on talking', async () => {
    const all = await watching({ verifyInterval: 0 })
    all.sidecar.play([{ on: 'GET /gameserver', nth: 1, step: answering({ status: 503 }) }])
    await all.pass(300)
    all.sidecar.publish(gameServer(2))
    await all.pass(800)
    expect(all.watches()).toBe(1)
    expect(all.versions).toEqual(['1', '2'])
  })

  test('for good is told, and the watch goes on', async () => {
    const all = await watching({ verifyInterval: 1000 })
    all.sidecar.play([{ on: 'GET /gameserver', step: answering({ body: 'no GameServer' }) }])
    await all.pass(300)
    expect(all.errors).toHaveLength(1)
    await all.pass(1200)
    expect(all.errors).toMatchObject([{ code: 'PROTOCOL', operation: 'watchGameServer' }])
    expect(all.reads()).toBe(2)
    expect(all.watches()).toBe(1)
    all.sidecar.publish(gameServer(2))
    await all.seen(2)
  })

  test('is nothing to a client that is closed meanwhile', async () => {
    const all = await watching({ verifyInterval: 0 })
    all.sidecar.play([{ on: 'GET /gameserver', step: (exchange) => exchange.connection.gone }])
    await all.pass(300)
    expect(all.reads()).toBe(1)
    all.client.close()
    await all.sidecar.untilNoSockets()
    expect(all.errors).toEqual([])
  })
})
