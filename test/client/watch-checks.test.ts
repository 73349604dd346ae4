import { describe, expect, test } from 'vitest'
import type { ClientOptions, GameServer } from '../../src/index.js'
import type { Rule } from '../support/fault-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { answering, following, opened, sending } from '../support/fault-server-steps.js'
import { watching, type Watching } from './watching.js'

/** A client whose watch over the stream has just been established; `checks` counts the reads from then on. */
async function watched(
  options: ClientOptions,
  rules: readonly Rule[] = [],
): Promise<Watching & { checks(): number; count(): number }> {
  const all = await watching(rules, { watch: 'stream', ...options })
  await all.until(all.isConnected, 'the watch')
  return Object.assign(all, { checks: () => all.reads() - 1, count: () => all.watches().length })
}

const reading = (body: string, nth?: number): Rule => ({
  on: 'GET /gameserver',
  ...(nth === undefined ? {} : { nth }),
  step: answering({ body }),
})

describe('checks of the watch by a read', () => {
  test('the watch is checked 100 ms after its begin, and no more with verifyInterval: 0', async () => {
    const { pass, checks } = await watched({})
    await pass(80)
    expect(checks()).toBe(0)
    await pass(200)
    expect(checks()).toBe(1)
    await pass(3000)
    expect(checks()).toBe(1)
  })

  test('the watch is checked each verifyInterval in which it was quiet', async () => {
    const { sidecar, pass, checks, seen } = await watched({ verifyInterval: 1000 })
    await pass(300)
    await pass(1000)
    expect(checks()).toBe(2)
    await pass(500)
    sidecar.publish(gameServer(2))
    await seen(2)
    await pass(700)
    expect(checks()).toBe(2)
    await pass(500)
    expect(checks()).toBe(3)
  })
})

describe('what a check finds before the watch', () => {
  test('a change that a check finds is told after half a second, and the watch is opened anew', async () => {
    const all = await watched({ verifyInterval: 1000 }, [{ on: 'watch', nth: 1, step: sending([gameServer(1)]) }])
    all.sidecar.publish(gameServer(2))
    await all.pass(500)
    expect(all.checks()).toBe(1)
    expect(all.versions).toEqual(['1'])
    await all.pass(400)
    expect(all.versions).toEqual(['1', '2'])
    expect(all.count()).toBe(2)
    all.sidecar.publish(gameServer(3))
    await all.seen(3)
    expect(all.errors).toEqual([])
  })

  test('a change that a check finds and the watch tells in time is told once, on the same watch', async () => {
    const all = await watched({ verifyInterval: 5000 }, [reading(JSON.stringify(gameServer(2)), 2)])
    await all.pass(300)
    expect(all.checks()).toBe(1)
    all.sidecar.publish(gameServer(2))
    await all.pass(1500)
    expect(all.versions).toEqual(['1', '2'])
    expect(all.count()).toBe(1)
    // It was talking: the check is made again once it is quiet.
    expect(all.checks()).toBe(2)
  })

  test('an object that is older than the last of the watch is nothing', async () => {
    const all = await watched({})
    all.sidecar.publish(gameServer(2))
    await all.seen(2)
    all.sidecar.play([reading(JSON.stringify({ ...gameServer(1, 'Scheduled'), spec: {} }))])
    await all.pass(1000)
    expect(all.checks()).toBeGreaterThan(0)
    expect(all.versions).toEqual(['1', '2'])
    expect(all.count()).toBe(1)
  })

  const plain = gameServer(1)
  const { object_meta, status } = plain
  const counters = { rooms: { count: '1', capacity: '2' } }
  test.each<[string, GameServer, number]>([
    ['a state alone', { ...plain, status: { ...status, state: 'Allocated' } }, 2],
    ['a label alone', { ...plain, object_meta: { ...object_meta, labels: { a: 'b' } } }, 2],
    // The watch of the sidecar's local mode says nothing of these, however often it is opened.
    ['a counter', { ...plain, status: { ...status, counters } }, 1],
  ])('%s that changes without a new version is found by a check', async (_what, after, watches) => {
    const all = await watched({ verifyInterval: 2000 }, [{ on: 'watch', nth: 1, step: sending([plain]) }])
    all.sidecar.publish(after)
    await all.pass(5000)
    expect(all.gameServers).toEqual([plain, after])
    expect(all.count()).toBe(watches)
  })
})

describe('a check that fails', () => {
  const failing: Rule = { on: 'GET /gameserver', nth: 1, step: answering({ status: 503 }) }

  test('a check that finds nobody ends the watch half a second later', async () => {
    const all = await watched({})
    all.sidecar.play([failing])
    await all.pass(500)
    expect(all.count()).toBe(1)
    await all.pass(500)
    expect(all.count()).toBe(2)
    expect(all.connections.map(({ state }) => state)).toContain('reconnecting')
    expect(all.errors).toEqual([])
  })

  test('a check that finds nobody is nothing where the watch goes on talking', async () => {
    const all = await watched({})
    all.sidecar.play([failing])
    await all.pass(300)
    all.sidecar.publish(gameServer(2))
    await all.pass(800)
    expect(all.count()).toBe(1)
    expect(all.versions).toEqual(['1', '2'])
  })

  test('checks that fail for good are one error until one has gone well, and the watch goes on', async () => {
    const all = await watched({ verifyInterval: 1000 })
    const wrong = reading('no GameServer')
    all.sidecar.play([wrong])
    await all.pass(2500)
    expect(all.errors).toMatchObject([{ code: 'PROTOCOL', operation: 'watchGameServer' }])
    expect(all.checks()).toBeGreaterThan(1)
    all.sidecar.play([])
    await all.pass(1500)
    all.sidecar.play([wrong])
    await all.pass(2500)
    expect(all.errors.map(({ code }) => code)).toEqual(['PROTOCOL', 'PROTOCOL'])
    expect(all.count()).toBe(1)
    all.sidecar.publish(gameServer(2))
    await all.seen(2)
  })

  test('a check in flight is nothing to a client that is closed', async () => {
    const all = await watched({})
    all.sidecar.play([{ on: 'GET /gameserver', step: (exchange) => exchange.connection.gone }])
    await all.pass(300)
    expect(all.checks()).toBe(1)
    all.client.close()
    await all.sidecar.untilNoSockets()
    expect(all.errors).toEqual([])
  })
})

test('a watch that always ends for the same reason is one error until it was well', async () => {
  const tooLong = opened(async (exchange) => {
    await exchange.sendText(`{"result":"${'x'.repeat(5000)}"}`)
    await exchange.connection.gone
  })
  const rules: Rule[] = [{ on: 'watch', step: tooLong }]
  const all = await watching(rules, { watch: 'stream', limits: { message: 4000 } })
  const codes = (): string[] => all.errors.map(({ code }) => code)
  await all.passUntil(() => all.watches().length >= 4)
  expect(codes()).toEqual(['LIMIT'])
  all.sidecar.play([{ on: 'watch', nth: 1, step: following }, ...rules])
  await all.passUntil(() => all.sidecar.followers === 1 && all.isConnected())
  await all.sidecar.stop()
  await all.sidecar.start()
  await all.passUntil(() => codes().length > 1)
  const watches = all.watches().length
  await all.passUntil(() => all.watches().length > watches + 2)
  expect(codes()).toEqual(['LIMIT', 'LIMIT'])
})
