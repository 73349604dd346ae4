import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createClient, type ClientOptions, type SidecarClient } from '../../src/index.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { VirtualClock } from '../support/virtual-clock.js'

/** How a request of the host ends: with this answer, or with nobody there, or never. */
type Ending = { status: number; body?: string; retryAfter?: string } | 'refused' | 'never'

const good: Ending = { status: 200, body: JSON.stringify(gameServer(1)) }

interface Searching {
  client: SidecarClient
  /** The ms at which requests were made. */
  asked: number[]
  /** What each request from now on comes to. */
  answer: (ending: Ending) => void
  pass(ms: number): Promise<void>
  warn: ReturnType<typeof vi.fn>
  clock: VirtualClock
  signals: { aborted: boolean }[]
}

/** A client by a clock that stands still, of a network that takes no time: dials that fail are seen by no server. */
function searching(options: ClientOptions = {}): Searching {
  const clock = new VirtualClock()
  const asked: number[] = []
  const signals: { aborted: boolean }[] = []
  const warn = vi.fn()
  let ending: Ending = 'refused'
  const client = createClient({
    baseUrl: 'http://127.0.0.1:1',
    now: clock.now,
    scheduler: clock,
    random: () => 1,
    retry: { initialDelay: 1000, factor: 2, maxDelay: 4000, timeout: 1e6 },
    logger: { warn },
    fetch: async (_url, { signal }) => {
      asked.push(clock.now())
      signals.push(signal as never)
      const now = ending
      if (now === 'never') return new Promise(() => {})
      if (now === 'refused') throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
      const headers = { get: (name: string) => (name === 'Retry-After' ? (now.retryAfter ?? null) : null) }
      return { status: now.status, headers, text: async () => now.body ?? '' }
    },
    ...options,
  })
  onTestFinished(() => client.close())
  return {
    client,
    asked,
    answer: (next) => void (ending = next),
    async pass(ms) {
      for (let passed = 0; passed < ms; passed += 50) {
        await new Promise(setImmediate)
        clock.advance(50)
      }
      await new Promise(setImmediate)
    },
    warn,
    clock,
    signals,
  }
}

const ignore = (call: Promise<unknown>): void => void call.catch(() => {})

describe('a sidecar that is not there', () => {
  test('is asked for less and less, by all who wait together', async () => {
    const { client, asked, pass } = searching()
    ignore(client.getGameServer())
    ignore(client.setLabel('a', 'b'))
    ignore(client.health())
    await pass(16_000)
    expect(asked).toEqual([0, 1000, 3000, 7000, 11_000, 15_000])
  })

  test('is found by all of them at once, and then asked for no more', async () => {
    const { client, asked, answer, pass } = searching()
    const both = Promise.all([client.getGameServer(), client.allocate()])
    await pass(2000)
    answer(good)
    await pass(1000)
    expect((await both)[1]).toBe('accepted')
    // One answer to the search, and one to each call.
    expect(asked.slice(0, 2)).toEqual([0, 1000])
    expect(asked).toHaveLength(5)
    await client.allocate()
    expect(asked).toHaveLength(6)
  })

  test('is asked for no more when nobody waits any more, and then not sooner than it would have been', async () => {
    const { client, asked, pass } = searching()
    const controller = new AbortController()
    const given = client.getGameServer({ signal: controller.signal })
    ignore(given)
    await pass(1500)
    expect(asked).toEqual([0, 1000])
    controller.abort()
    await expect(given).rejects.toMatchObject({ code: 'ABORTED' })
    await pass(500)
    ignore(client.getGameServer())
    await pass(500)
    expect(asked).toEqual([0, 1000])
    await pass(5000)
    expect(asked).toEqual([0, 1000, 3000, 7000])
  })

  test('is asked for at once by who comes much later', async () => {
    const { client, asked, pass } = searching()
    ignore(client.getGameServer({ timeout: 1500 }))
    await pass(20_000)
    expect(asked).toEqual([0, 1000])
    ignore(client.getGameServer({ timeout: 1500 }))
    await pass(100)
    expect(asked).toEqual([0, 1000, 20_000])
  })

  test('is asked for while one of two still waits', async () => {
    const { client, asked, pass } = searching()
    ignore(client.getGameServer({ timeout: 500 }))
    ignore(client.getGameServer())
    await pass(3500)
    expect(asked).toEqual([0, 1000, 3000])
  })

  test('is asked anew after 4 s where it took the question and says nothing', async () => {
    const { client, asked, answer, pass, signals } = searching()
    answer('never')
    ignore(client.getGameServer())
    await pass(3950)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
    await pass(50)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    await pass(1000)
    expect(asked).toEqual([0, 5000])
  })

  test('may say how long it wants to be left alone', async () => {
    const { client, asked, answer, pass } = searching()
    answer({ status: 503, retryAfter: '8' })
    ignore(client.getGameServer())
    await pass(9000)
    expect(asked).toEqual([0, 8000])
  })

  test('but no sooner than it would have been asked anyway', async () => {
    const { client, asked, answer, pass } = searching({ retry: { initialDelay: 3000, timeout: 1e6 } })
    answer({ status: 503, retryAfter: '1' })
    ignore(client.getGameServer())
    await pass(3500)
    expect(asked).toEqual([0, 3000])
  })
})

test('who waits is told at once where another than a sidecar answers', async () => {
  const { client, answer } = searching()
  answer({ status: 404 })
  const [read, written] = await Promise.allSettled([client.getGameServer(), client.setLabel('a', 'b')])
  expect(read).toMatchObject({ reason: { code: 'PROTOCOL', status: 404, operation: 'getGameServer' } })
  expect(written).toMatchObject({ reason: { code: 'PROTOCOL', status: 404, operation: 'setLabel' } })
})

test('who waits is told at once what no repetition can change, by one answer for all', async () => {
  const { client, asked, answer, pass } = searching({ limits: { body: 100 } })
  answer(good)
  const [read, written] = await Promise.allSettled([client.getGameServer(), client.setLabel('a', 'b')])
  expect(read).toMatchObject({ reason: { code: 'LIMIT', operation: 'getGameServer' } })
  expect(written).toMatchObject({ reason: { code: 'LIMIT', operation: 'setLabel' } })
  await pass(5000)
  expect(asked).toHaveLength(1)
})

describe('that nobody is there is told to the developer', () => {
  test('after 2 s, once', async () => {
    const { client, pass, warn } = searching()
    ignore(client.getGameServer())
    await pass(1950)
    expect(warn).not.toHaveBeenCalled()
    await pass(50)
    expect(warn.mock.calls).toEqual([[expect.stringContaining('http://127.0.0.1:1')]])
    await pass(20_000)
    ignore(client.getGameServer())
    await pass(20_000)
    expect(warn).toHaveBeenCalledTimes(1)
  })

  test('unless it answers before, or has once answered', async () => {
    const { client, answer, pass, warn } = searching()
    const found = client.getGameServer()
    await pass(900)
    answer(good)
    await pass(200)
    await found
    answer('refused')
    ignore(client.getGameServer({ timeout: 30_000 }))
    await pass(20_000)
    expect(warn).not.toHaveBeenCalled()
  })
})

describe('the status of the connection', () => {
  test('follows what calls find out while there is no watch', async () => {
    const { client, answer, pass } = searching({ retry: false })
    const events: string[] = []
    client.on('connection', ({ state }) => void events.push(state))
    answer('refused')
    await client.getGameServer().catch(() => {})
    await client.getGameServer().catch(() => {})
    expect(client.status).toMatchObject({ connection: 'connecting', reason: expect.stringContaining('No answer') })
    answer(good)
    await client.getGameServer()
    await client.getGameServer()
    expect(client.status).toMatchObject({ connection: 'connected', reason: undefined })
    answer('refused')
    await client.getGameServer().catch(() => {})
    await pass(100)
    expect(events).toEqual(['connecting', 'connected', 'reconnecting'])
  })
})

test('what a search has read is the GameServer that is known', async () => {
  const { client, answer, pass } = searching()
  answer(good)
  const written = client.setLabel('a', 'b')
  await pass(100)
  expect(await written).toBe('accepted')
  expect(client.gameServer).toEqual(gameServer(1))
})
