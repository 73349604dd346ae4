import { describe, expect, test, vi } from 'vitest'
import type { ClientOptions, SidecarClient } from '../../src/index.js'
import type { Rule, ScriptedSidecar } from '../support/fault-server.js'
import { answering, blackHole } from '../support/fault-server-steps.js'
import { VirtualClock } from '../support/virtual-clock.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'

const sent = ({ requests }: ScriptedSidecar): string[] => requests.map(({ method, path }) => `${method} ${path}`)
const settle = (): Promise<string> => new Promise((resolve) => setImmediate(resolve, 'waiting'))

describe('before the first write a client asks whether the sidecar is there,', () => {
  test('and not again before the next one', async () => {
    const sidecar = await startScripted()
    const client = connectClient(sidecar)
    await client.allocate()
    await client.allocate()
    expect(sent(sidecar)).toEqual(['GET /gameserver', 'POST /allocate', 'POST /allocate'])
  })

  test('but not where it makes one attempt only', async () => {
    const sidecar = await startScripted()
    await connectClient(sidecar, { retry: false }).allocate()
    expect(sent(sidecar)).toEqual(['POST /allocate'])
  })

  test('unless its page is of another origin, where only a read can tell', async () => {
    vi.stubGlobal('location', { origin: 'http://game.example', search: '' })
    try {
      const sidecar = await startScripted()
      const client = connectClient(sidecar, { retry: false, crossOrigin: 'never' })
      await client.allocate()
      await client.allocate()
      expect(sent(sidecar)).toEqual(['GET /gameserver', 'POST /allocate', 'POST /allocate'])
      // A page that was served by the same origin is no stranger, wherever there the sidecar is.
      vi.stubGlobal('location', { origin: sidecar.url, search: '' })
      await connectClient({ url: `${sidecar.url}/_/sidecar` }, { retry: false }).allocate()
      expect(sent(sidecar).slice(3)).toEqual(['POST /_/sidecar/allocate'])
      vi.stubGlobal('location', { origin: 'http://game.example', search: '' })
      const reader = connectClient(sidecar, { retry: false, crossOrigin: 'never' })
      await reader.getGameServer()
      expect(sent(sidecar).slice(4)).toEqual(['GET /gameserver'])
    } finally {
      vi.unstubAllGlobals()
    }
  })
})

describe('what is answered 503 the first time', () => {
  const calls: [string, Rule['on'], (client: SidecarClient) => Promise<unknown>, number][] = [
    ['a read', 'GET /v1beta1/counters/a', (client) => client.getCounter('a'), 2],
    ['a beat', 'POST /health', (client) => client.health(), 2],
    ['a write', 'POST /allocate', (client) => client.allocate(), 1],
    ['a list', 'POST /v1beta1/lists/a:addValue', (client) => client.addListValue('a', 'b'), 1],
  ]
  const body = '{"name":"a","count":"1","capacity":"2"}'

  async function answered503(on: Rule['on'], call: (client: SidecarClient) => Promise<unknown>, once: boolean) {
    const sidecar = await startScripted([
      { on, nth: 1, step: answering({ status: 503 }) },
      { on, step: answering({ body }) },
    ] as Rule[])
    const client = connectClient(sidecar, once ? { retry: false } : {})
    const code = await call(client).then(
      () => 'answered',
      (error: unknown) => (error as { code: string }).code,
    )
    return { code, times: sent(sidecar).filter((request) => request === on).length }
  }

  test.each(calls)('is sent again only where that does no harm: %s', async (_what, on, call, times) => {
    expect(await answered503(on, call, false)).toEqual({ code: times > 1 ? 'answered' : 'UNAVAILABLE', times })
  })

  test.each(calls)('is not sent again by a client that makes one attempt: %s', async (_what, on, call) => {
    expect(await answered503(on, call, true)).toEqual({ code: 'UNAVAILABLE', times: 1 })
  })

  test('is not sent again where it was refused for good', async () => {
    const sidecar = await startScripted([{ on: 'GET /v1beta1/counters/a', step: answering({ status: 500 }) }])
    await expect(connectClient(sidecar).getCounter('a')).rejects.toMatchObject({ code: 'UNKNOWN' })
    expect(sent(sidecar)).toHaveLength(2)
  })
})

test('a read that is refused again and again is asked for less and less', async () => {
  const clock = new VirtualClock()
  const at: number[] = []
  const client = connectClient(
    { url: 'http://127.0.0.1:1' },
    {
      now: clock.now,
      scheduler: clock,
      random: () => 1,
      retry: { initialDelay: 200, factor: 2, maxDelay: 800 },
      // The network takes no time at all.
      fetch: async (url) => {
        const isSearch = url.endsWith('/gameserver')
        if (!isSearch) at.push(clock.now())
        const status = isSearch || at.length === 5 ? 200 : 503
        const text = async (): Promise<string> => '{"object_meta":{},"status":{},"count":"1","capacity":"2"}'
        return { status, headers: { get: () => null }, text }
      },
    },
  )
  const read = client.getCounter('a')
  while (at.length < 5 && clock.now() < 100_000) {
    await settle()
    clock.advance(50)
  }
  expect(await read).toEqual({ name: 'a', count: 1, capacity: 2 })
  expect(at.slice(1).map((time, index) => time - at[index]!)).toEqual([200, 400, 800, 800])
})

describe('calls that change the same thing', () => {
  const slow = (path: string): { rules: Rule[]; release(): void } => {
    let release = (): void => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const on = `POST ${path}` as const
    return { rules: [{ on, nth: 1, step: (exchange) => released.then(() => exchange.reply()) }], release }
  }
  const posts = (sidecar: ScriptedSidecar): string[] => sent(sidecar).filter((request) => request.startsWith('POST'))

  async function started(path: string, options: ClientOptions = {}) {
    const { rules, release } = slow(path)
    const sidecar = await startScripted(rules)
    const client = connectClient(sidecar, { retry: false, ...options })
    const first = client.allocate()
    await sidecar.until(() => posts(sidecar).length === 1, 'the first call')
    return { sidecar, client, first, release }
  }

  test('wait for each other, and what changes another thing does not', async () => {
    const { sidecar, client, first, release } = await started('/allocate')
    const second = client.ready()
    const third = client.reserve(1)
    await client.setLabel('a', 'b')
    expect(posts(sidecar)).toEqual(['POST /allocate'])
    release()
    expect(await Promise.all([first, second, third])).toEqual(['accepted', 'accepted', 'accepted'])
    expect(posts(sidecar)).toEqual(['POST /allocate', 'POST /ready', 'POST /reserve'])
  })

  test('that were given up while they waited are never sent, and those behind them are', async () => {
    const { sidecar, client, first, release } = await started('/allocate')
    const controller = new AbortController()
    const second = client.ready({ signal: controller.signal })
    const third = client.reserve(1)
    controller.abort()
    await expect(second).rejects.toMatchObject({ code: 'ABORTED', operation: 'ready' })
    release()
    await Promise.all([first, third])
    expect(posts(sidecar)).toEqual(['POST /allocate', 'POST /reserve'])
  })

  test('wait for each other also where one was asked for while the one before it was under way', async () => {
    const { sidecar, client, first, release } = await started('/allocate')
    const waiting = slow('/ready')
    sidecar.play(waiting.rules)
    const second = client.ready()
    release()
    await first
    await sidecar.until(() => posts(sidecar).length === 2, 'the second call')
    const third = client.reserve(1)
    await client.setLabel('a', 'b')
    expect(posts(sidecar)).toEqual(['POST /allocate', 'POST /ready'])
    waiting.release()
    await Promise.all([second, third])
    expect(posts(sidecar)).toEqual(['POST /allocate', 'POST /ready', 'POST /reserve'])
  })

  test('that failed keep nobody behind them from going on', async () => {
    const sidecar = await startScripted([{ on: 'POST /allocate', step: answering({ status: 500 }) }])
    const client = connectClient(sidecar, { retry: false })
    const [first, second] = await Promise.allSettled([client.allocate(), client.ready()])
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'UNKNOWN', operation: 'allocate' } })
    expect(second).toEqual({ status: 'fulfilled', value: 'accepted' })
    expect(await client.reserve(1)).toBe('accepted')
    expect(posts(sidecar)).toEqual(['POST /allocate', 'POST /ready', 'POST /reserve'])
  })
})

test.each([200, 500])('a call that was answered %i leaves no timer behind', async (status) => {
  const clock = new VirtualClock()
  const sidecar = await startScripted([{ on: '*', step: answering({ status }) }])
  const client = connectClient(sidecar, { retry: false, now: clock.now, scheduler: clock })
  await client.allocate().catch(() => {})
  expect(clock.pending).toBe(0)
})

describe('a call whose time is up', () => {
  test('asks whether the sidecar is running where nobody is connected', async () => {
    const sidecar = await startScripted([{ on: '*', step: blackHole }])
    const call = connectClient(sidecar).getGameServer({ timeout: 60 })
    await expect(call).rejects.toMatchObject({ code: 'TIMEOUT', hint: expect.stringContaining('running') })
  })

  test('has as much as the option of the client gives where its own says nothing', async () => {
    const clock = new VirtualClock()
    const sidecar = await startScripted([{ on: '*', step: blackHole }])
    const options = { now: clock.now, scheduler: clock, timeout: 1e6, logger: {} }
    const client = connectClient(sidecar, { ...options, retry: { timeout: 5000 } })
    const failed = expect(client.getGameServer()).rejects.toMatchObject({ code: 'TIMEOUT' })
    clock.advance(4999)
    expect(await Promise.race([failed.then(() => 'up'), settle()])).toBe('waiting')
    clock.advance(1)
    await failed
  })
})
