import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createClient, type ClientOptions } from '../../src/index.js'
import { observe, type Observed } from '../faults/observe.js'
import type { Rule, ScriptedSidecar, Step } from '../support/fault-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { blackHole, following, opened, sending } from '../support/fault-server-steps.js'
import { VirtualClock } from '../support/virtual-clock.js'
import { startScripted } from '../support/with-scripted-sidecar.js'

interface Watching extends Observed {
  clock: VirtualClock
  sidecar: ScriptedSidecar
  /** Lets time pass, in small steps, until the condition holds; gives the ms that took. */
  passUntil(condition: () => boolean): Promise<number>
  /** The watches that were asked for so far: `w` over WebSocket, `s` over the stream. */
  watches(): string
}

async function watching(rules: readonly Rule[], options: ClientOptions = {}): Promise<Watching> {
  const sidecar = await startScripted(rules)
  const clock = new VirtualClock()
  const observed = observe({
    baseUrl: sidecar.url,
    verifyInterval: 0,
    random: () => 0,
    now: clock.now,
    scheduler: clock,
    ...options,
  })
  onTestFinished(() => observed.client.close())
  return Object.assign(Object.create(observed) as Observed, {
    clock,
    sidecar,
    async passUntil(condition: () => boolean) {
      const start = clock.now()
      for (;;) {
        // Time for the network to be done, as it must be long before any time limit.
        await new Promise((resolve) => setTimeout(resolve, 3))
        if (condition()) return clock.now() - start
        if (clock.now() - start > 10_000) expect.fail('10 s have passed in vain')
        clock.advance(20)
      }
    },
    watches: () =>
      sidecar.requests
        .filter(({ path }) => path === '/watch/gameserver')
        .map(({ isUpgrade }) => (isUpgrade ? 'w' : 's'))
        .join(''),
  })
}

/** What a sidecar does about a watch over WebSocket; over the stream it is honest. */
const overWebSocket = (step: Step): Rule[] => [
  { on: 'watch', step: (exchange) => (exchange.request.isUpgrade ? step(exchange) : following(exchange)) },
]
const openAndGone: Step = opened((exchange) => exchange.break('finish'))
const refusing: Step = (exchange) => exchange.reply({ status: 503 })
const openAndSilent: Step = opened(blackHole)

const isConnected =
  ({ client }: Watching) =>
  () =>
    client.status.transport !== undefined

describe('the watch goes over the WebSocket', () => {
  test('where that works, and nothing says why it should not', async () => {
    const all = await watching([])
    await all.passUntil(isConnected(all))
    expect(all.watches()).toBe('w')
    expect(all.client.status).toMatchObject({ connection: 'connected', transport: 'websocket', reason: undefined })
  })

  test('also where it failed once', async () => {
    const all = await watching([{ on: 'watch', nth: 1, step: openAndGone }])
    await all.passUntil(isConnected(all))
    expect(all.watches()).toBe('ww')
    expect(all.client.status).toMatchObject({ transport: 'websocket', reason: undefined })
  })

  test('also where it failed once, worked and failed once again', async () => {
    const all = await watching([
      { on: 'watch', nth: (nth) => nth % 2 === 1, step: openAndGone },
      { on: 'watch', nth: 2, step: sending([gameServer(1)], (exchange) => exchange.break('finish')) },
    ])
    await all.passUntil(() => all.watches().length === 4 && isConnected(all)())
    expect(all.watches()).toBe('wwww')
  })
})

describe('the watch goes over the stream', () => {
  test.each([
    ['was open and ended', openAndGone],
    ['was refused', refusing],
  ])('once the WebSocket %s twice', async (_what, step) => {
    const all = await watching(overWebSocket(step))
    await all.passUntil(isConnected(all))
    expect(all.watches()).toBe('wws')
    expect(all.client.status).toMatchObject({ connection: 'connected', transport: 'stream' })
    expect(all.client.status.reason).toMatch(/WebSocket|503/)
    expect(all.errors).toEqual([])
  })

  test('once the WebSocket has been silent for 2 s', async () => {
    const all = await watching(overWebSocket(openAndSilent))
    await all.passUntil(() => all.watches() === 'w')
    await new Promise((resolve) => setTimeout(resolve, 20))
    all.clock.advance(1900)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(all.watches()).toBe('w')
    await all.passUntil(isConnected(all))
    expect(all.watches()).toBe('ws')
    expect(all.client.status).toMatchObject({ transport: 'stream', reason: expect.stringContaining('2000 ms') })
  })

  test('where no WebSocket can be opened', async () => {
    const failing = class {
      constructor() {
        throw new Error('not here')
      }
    }
    const all = await watching([], { WebSocket: failing as never })
    await all.passUntil(isConnected(all))
    expect(all.watches()).toBe('s')
    expect(all.client.status.transport).toBe('stream')
  })

  test('where there is no WebSocket', async () => {
    vi.stubGlobal('WebSocket', undefined)
    onTestFinished(() => void vi.unstubAllGlobals())
    const sidecar = await startScripted()
    const client = createClient({ baseUrl: sidecar.url })
    onTestFinished(() => client.close())
    await client.waitFor('Ready')
    while (client.status.transport === undefined) await client.once('connection')
    expect(client.status).toMatchObject({ transport: 'stream', reason: 'There is no WebSocket here' })
  })

  test('where the option says so, without a reason', async () => {
    const all = await watching([], { watch: 'stream' })
    await all.passUntil(isConnected(all))
    expect(all.watches()).toBe('s')
    expect(all.client.status).toMatchObject({ transport: 'stream', reason: undefined })
  })
})

describe('with watch: websocket', () => {
  const websocket = { watch: 'websocket' } as const

  test('no other way is tried, and who ends before each object is named once', async () => {
    const all = await watching(overWebSocket(openAndGone), websocket)
    await all.passUntil(() => all.watches().length === 5)
    expect(all.watches()).toBe('wwwww')
    expect(all.errors).toMatchObject([
      { code: 'LIMIT', operation: 'watchGameServer', hint: expect.stringContaining("watch: 'auto'") },
    ])
  })

  test('who only refuses is not', async () => {
    const all = await watching(overWebSocket(refusing), websocket)
    await all.passUntil(() => all.watches().length === 4)
    expect(all.errors).toEqual([])
  })

  test('who ends before an object once in a while is not', async () => {
    const all = await watching(
      [
        { on: 'watch', nth: (nth) => nth % 2 === 1, step: openAndGone },
        { on: 'watch', step: sending([gameServer(1)], (exchange) => exchange.break('finish')) },
      ],
      websocket,
    )
    await all.passUntil(() => all.watches().length === 6)
    expect(all.errors).toEqual([])
  })

  test('nor is who ends each stream before an object', async () => {
    const all = await watching([{ on: 'watch', step: openAndGone }], { watch: 'stream' })
    await all.passUntil(() => all.watches().length === 4)
    expect(all.errors).toEqual([])
  })

  test('the first object may take as long as the timeout', async () => {
    const all = await watching(overWebSocket(openAndSilent), { ...websocket, timeout: 5000 })
    await all.passUntil(() => all.watches() === 'w')
    await new Promise((resolve) => setTimeout(resolve, 20))
    all.clock.advance(4900)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(all.watches()).toBe('w')
    await all.passUntil(() => all.watches() === 'ww')
  })
})

describe('a message', () => {
  const told = async (...texts: string[]): Promise<Watching> => {
    const step = opened(async (exchange) => {
      for (const text of texts) await exchange.sendText(text)
      await exchange.send(gameServer(2))
      await exchange.connection.gone
    })
    const all = await watching([
      { on: 'watch', nth: 1, step },
      { on: 'watch', step: sending([gameServer(3)]) },
    ])
    await all.passUntil(() => all.versions.includes('2') || all.versions.includes('3'))
    return all
  }

  test.each([
    ['no JSON', '{"result":'],
    ['no object', '[{"result":{}}]'],
    ['an empty object', '{}'],
    ['a result that is none', '{"result":{"status":{}}}'],
    ['an error that is none', '{"error":null,"code":0}'],
  ])('that makes no sense is told, and skipped: %s', async (_what, text) => {
    const { errors, versions } = await told(text)
    expect(versions).not.toContain('3')
    expect(errors).toMatchObject([{ code: 'PROTOCOL', operation: 'watchGameServer' }])
    expect(errors[0]!.summary).toMatch(new RegExp(`: ${text.replace(/[[{}]/g, '\\$&')}$`))
  })

  test('that makes no sense is quoted up to 1024 characters', async () => {
    const { errors } = await told('x'.repeat(5000))
    expect(errors[0]!.summary).toMatch(/: x{1024}$/)
  })

  test.each([
    ['{"error":{"code":8,"message":"not found: a"}}', 'NOT_FOUND'],
    ['{"code":2,"message":"not found: a"}', 'NOT_FOUND'],
    ['{"error":"no"}', 'UNKNOWN'],
  ])('that is an error ends the connection: %s', async (text, code) => {
    const { errors, versions } = await told(text)
    expect(versions).not.toContain('2')
    expect(errors).toMatchObject([{ code, operation: 'watchGameServer' }])
  })
})
