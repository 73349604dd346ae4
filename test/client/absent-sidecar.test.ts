import { expect, onTestFinished, test, vi } from 'vitest'
import type { ClientOptions, HealthEvent, SidecarClient } from '../../src/index.js'
import { gameServer } from '../support/game-server.js'
import { startScripted } from '../support/fault-server.js'
import { connectClient } from '../support/with-sidecar.js'
import { good, ignore, searching } from './clients.js'

test('one search serves all who wait, less and less often', async () => {
  const { client, asked, pass } = searching()
  ignore(client.getGameServer())
  ignore(client.setLabel('a', 'b'))
  ignore(client.health())
  await pass(16_000)
  expect(asked).toEqual([0, 1000, 3000, 7000, 11_000, 15_000])
})

test('the shortest delay between two attempts is 150 ms, whatever the jitter', async () => {
  const { client, asked, pass } = searching({ random: () => 0 })
  ignore(client.getGameServer())
  await pass(600)
  expect(asked).toEqual([0, 150, 300, 450, 600])
})

test('all who wait go on at once when the sidecar answers, and the search ends', async () => {
  const { client, asked, answer, pass } = searching()
  const both = Promise.all([client.getGameServer(), client.setLabel('a', 'b')])
  await pass(2000)
  answer(good)
  await pass(1000)
  expect((await both)[1]).toBe('accepted')
  // One answer to the search, and one to each call.
  expect(asked.slice(0, 2)).toEqual([0, 1000])
  expect(asked).toHaveLength(5)
  expect(client.gameServer).toEqual(gameServer(1))
  await client.setLabel('a', 'b')
  expect(asked).toHaveLength(6)
})

test('the search ends when no call waits any more; the next keeps the delay, and much later dials at once', async () => {
  const { client, asked, pass } = searching()
  const controller = new AbortController()
  const given = client.getGameServer({ signal: controller.signal })
  ignore(given)
  await pass(1500)
  controller.abort()
  await expect(given).rejects.toMatchObject({ code: 'ABORTED' })
  await pass(500)
  ignore(client.getGameServer({ timeout: 5400 }))
  await pass(500)
  expect(asked).toEqual([0, 1000])
  await pass(25_000)
  expect(asked).toEqual([0, 1000, 3000, 7000])
  ignore(client.getGameServer({ timeout: 1500 }))
  await pass(100)
  expect(asked.at(-1)).toBe(27_500)
})

test('a question without an answer is given up after 4 s and asked again', async () => {
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

test('after a sidecar was found, stayed for over a second and was lost, delays begin anew', async () => {
  const { client, asked, answer, pass } = searching()
  const found = client.getGameServer()
  await pass(5000)
  answer(good)
  await pass(8000)
  await found
  answer('refused')
  ignore(client.getGameServer({ timeout: 100 }))
  await pass(10_000)
  const before = asked.length
  ignore(client.getGameServer())
  await pass(5000)
  expect(asked.slice(before)).toEqual([23_000, 24_000, 26_000])
})

test('one answer that is not retried rejects every waiting call', async () => {
  const { client, asked, answer, pass } = searching({ limits: { body: 100 } })
  answer(good)
  const failed = await Promise.allSettled([client.getGameServer(), client.setLabel('a', 'b')])
  expect(failed).toMatchObject([
    { reason: { code: 'LIMIT', operation: 'getGameServer' } },
    { reason: { code: 'LIMIT', operation: 'setLabel' } },
  ])
  await pass(5000)
  expect(asked).toHaveLength(1)
})

test('a call made just as the last one that waited is aborted searches by itself', async () => {
  const { client, answer, pass } = searching()
  const controller = new AbortController()
  const stopped = client.connect({ signal: controller.signal })
  ignore(stopped)
  await pass(50)
  controller.abort()
  answer(good)
  const found = client.connect()
  await pass(2000)
  expect((await found).object_meta.name).toBe('scripted')
  await expect(stopped).rejects.toMatchObject({ code: 'ABORTED' })
})

test('a sidecar that has just answered is not searched for before the watch', async () => {
  const sidecar = await startScripted()
  const client = connectClient(sidecar, { retry: false, verifyInterval: 0 })
  await client.getGameServer()
  client.on('gameserver', () => {})
  await sidecar.until(() => sidecar.followers === 1, 'the watch')
  expect(sidecar.requests.map(({ path }) => path).slice(0, 2)).toEqual(['/gameserver', '/watch/gameserver'])
})

const ways: [string, ClientOptions, (client: SidecarClient) => unknown][] = [
  ['a call', {}, (client) => ignore(client.ready())],
  ['a call, to the console without a logger', { logger: undefined! }, (client) => ignore(client.ready())],
  ['the watch', { watch: 'stream' }, (client) => client.on('gameserver', () => {})],
  ['the heartbeat', { autoHealth: true }, () => {}],
]

test.each(ways)('an absent sidecar is warned of once, with its address, after 2 s of %s', async (_, options, begin) => {
  const onConsole = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => onConsole.mockRestore())
  const { client, pass, ...page } = searching(options)
  const warn = 'logger' in options ? onConsole : page.warn
  begin(client)
  await pass(1950)
  expect(warn).not.toHaveBeenCalled()
  await pass(100)
  expect(warn.mock.calls).toEqual([[expect.stringContaining('http://127.0.0.1:1')]])
  await pass(20_000)
  ignore(client.getGameServer())
  await pass(20_000)
  expect(warn).toHaveBeenCalledTimes(1)
})

test('a sidecar that answers within 2 s, or that answered before, causes no warning', async () => {
  const { client, answer, pass, warn } = searching({ watch: 'stream' })
  const found = client.getGameServer()
  await pass(900)
  answer(good)
  await pass(200)
  await found
  answer('refused')
  client.on('gameserver', () => {})
  ignore(client.getGameServer({ timeout: 30_000 }))
  await pass(20_000)
  expect(warn).not.toHaveBeenCalled()
})

test('beats before the first answer wait for the sidecar, and fail only after it', async () => {
  const { client, answer, pass } = searching({ autoHealth: { interval: 1000 } })
  const events: HealthEvent[] = []
  client.on('health', (event) => void events.push(event))
  await pass(10_000)
  expect(new Set(events.map(({ ok }) => ok))).toEqual(new Set([undefined]))
  expect(client.status).toMatchObject({ healthy: undefined, lastBeat: undefined })
  answer(good)
  await pass(5000)
  expect(client.status.healthy).toBe(true)
  answer('refused')
  await pass(5000)
  expect(client.status.healthy).toBe(false)
  expect(events.at(-1)).toMatchObject({ ok: false, reason: expect.stringMatching(/\w/) })
})

test('a failed beat is repeated as soon as another call finds the sidecar', async () => {
  const { client, answer, pass, paths } = searching({ autoHealth: { interval: 60_000 }, retry: false })
  const beats = (): number => paths.filter((path) => path === '/health').length
  await pass(100)
  expect(beats()).toBe(1)
  answer(good)
  await client.getGameServer()
  await pass(100)
  expect(beats()).toBe(2)
  answer((path) => (path === '/health' ? { status: 404 } : good))
  await pass(60_000)
  const refused = beats()
  await client.getGameServer()
  await pass(100)
  expect(beats()).toBe(refused)
})

test('without a watch the status follows what calls find, and events tell each change once', async () => {
  const { client, answer, pass } = searching({ retry: false, timeout: 1000 })
  const events: string[] = []
  client.on('connection', ({ state }) => void events.push(state))
  // The hint is the command that starts a sidecar.
  const hint: unknown = expect.stringContaining('npx gameserver-sidecar local')
  await expect(client.getGameServer()).rejects.toMatchObject({ code: 'UNAVAILABLE', hint })
  expect(client.status).toMatchObject({ connection: 'connecting', reason: expect.stringContaining('127.0.0.1') })
  answer('never')
  const late = client.getGameServer().catch(() => {})
  await pass(1000)
  await late
  expect(client.status).toMatchObject({ connection: 'connecting', reason: expect.stringContaining('1000 ms') })
  answer(good)
  await client.getGameServer()
  await client.getGameServer()
  expect(client.status).toMatchObject({ connection: 'connected', reason: undefined })
  answer('refused')
  await client.getGameServer().catch(() => {})
  expect(events).toEqual(['connecting', 'connected', 'reconnecting'])
})
