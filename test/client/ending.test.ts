import { expect, onTestFinished, test, vi } from 'vitest'
import { type EndingEvent, type SidecarClient, type GameServer } from '../../src/index.js'
import { close } from '../support/frames.js'
import { gameServer } from '../support/game-server.js'
import { following, sending } from '../support/fault-server-steps.js'
import { type Step, startScripted } from '../support/fault-server.js'
import { connectClient, connectPage, startQuickSidecar, startSidecar } from '../support/with-sidecar.js'
import { connected, good, ignore, searching } from './clients.js'

function listen(client: SidecarClient): EndingEvent[] {
  const told: EndingEvent[] = []
  client.on('ending', (event) => void told.push(event))
  return told
}

test('shutdown() and a deletion after it lead to one ending event', async () => {
  const sidecar = await startQuickSidecar()
  const client = connectClient(sidecar)
  const told = listen(client)
  await client.ready({ confirm: true })
  expect(told).toEqual([])
  const before = Date.now()
  await client.shutdown({ confirm: true })
  sidecar.control({ type: 'delete' })
  await client.waitFor(({ object_meta }) => object_meta.deletion_timestamp !== '0')
  expect(told).toMatchObject([{ reason: 'shutdown', gameServer: { status: { state: 'Shutdown' } } }])
  expect(told[0]!.deadline).toBeGreaterThanOrEqual(before + 30_000)
})

test.each([
  ['deleted', { type: 'delete' }],
  ['unhealthy', { type: 'makeUnhealthy' }],
  ['shutdown', { type: 'setState', state: 'Shutdown' }],
] as const)('an ending event with reason %s opens the watch and comes once', async (reason, command) => {
  const sidecar = await startSidecar()
  const client = connectClient(sidecar)
  const told = listen(client)
  await client.waitFor(() => true)
  sidecar.control(command)
  await expect.poll(() => told).toMatchObject([{ reason }])
})

test('a listener that comes after the end is told of it once, and a removed one is not', async () => {
  const client = connectClient(await startSidecar())
  await client.shutdown({ confirm: true })
  expect(listen(client)).toEqual([])
  expect(await client.once('ending', { timeout: 20_000 })).toMatchObject({ reason: 'shutdown' })
  const removed: EndingEvent[] = []
  client.on('ending', (event) => void removed.push(event))()
  const late = listen(client)
  await expect.poll(() => late.length).toBe(1)
  expect(removed).toEqual([])
})

function hostOfPage(): EventTarget {
  const host = new EventTarget()
  vi.stubGlobal('gameServerHost', host)
  onTestFinished(() => void vi.unstubAllGlobals())
  return host
}

test('the host of a page tells it of the end with a deadline, until the client is closed', async () => {
  const sidecar = await startSidecar()
  const host = hostOfPage()
  const [client, closed] = [connectPage(sidecar), connectPage(sidecar)]
  const [told, toldClosed] = [listen(client), listen(closed)]
  closed.close()
  host.dispatchEvent(Object.assign(new Event('ending'), { deadline: 4711, waitUntil: () => undefined }))
  expect(told).toMatchObject([{ reason: 'signal', deadline: 4711 }])
  expect(toldClosed).toEqual([])
})

test.each([
  ['ending', false],
  ['signal', true],
] as const)(
  'the host of a page is given what listeners of %s return, and waits for shutdown(): %s',
  async (type, waits) => {
    const sidecar = await startSidecar()
    const host = hostOfPage()
    const saved = Promise.resolve()
    const listener = (): unknown => saved
    connectPage(sidecar).on(type, listener)
    const given: unknown[] = []
    const waitUntil = (result: unknown): unknown => given.push(result)
    const ending = Object.assign(new Event('ending'), { deadline: 4711, isHeard: undefined, waitUntil })
    host.dispatchEvent(ending)
    // The client may have told the end before the host does, such as after a deletion.
    host.dispatchEvent(ending)
    expect(ending.isHeard).toBe(waits)
    expect(given).toEqual(waits ? [] : [saved, saved])
  },
)

/** What a client is told whose first watch ends so; its second is a good one. */
async function toldAfter(watch: 'websocket' | 'stream', end: Step) {
  const sidecar = await startScripted([
    { on: 'watch', nth: 1, step: sending([gameServer(1)], end) },
    { on: 'watch', step: following },
  ])
  const client = connectClient(sidecar, { watch, random: () => 0, verifyInterval: 0 })
  const signals: string[] = []
  const errors: unknown[] = []
  client.on('signal', ({ signal }) => void signals.push(signal))
  client.on('error', (error) => void errors.push(error))
  const endings = listen(client)
  await sidecar.until(() => sidecar.followers > 0, 'the second watch')
  sidecar.publish(gameServer(2))
  await client.waitFor(({ object_meta }) => object_meta.resource_version === '2')
  return { signals, errors, endings }
}

const closing =
  (code: number, reason: string): Step =>
  async (exchange) => {
    await exchange.write(close(code, reason))
    exchange.connection.finish()
  }

const saying =
  (code: number, message: string): Step =>
  async (exchange) => {
    await exchange.sendText(JSON.stringify({ error: { code, message, details: [] } }))
    await exchange.end()
  }

const stopping = (signal: string): string => `The gateway is stopping (${signal})`

test.each(['SIGTERM', 'SIGHUP', 'SIGBREAK'])(
  'a gateway that stops with %s is told as that signal once, is no error and leaves 10 s, over both transports',
  async (signal) => {
    const before = Date.now()
    const told = await Promise.all([
      toldAfter('websocket', closing(1001, signal)),
      toldAfter('stream', saying(14, stopping(signal))),
    ])
    for (const { signals, errors, endings } of told) {
      expect([signals, errors]).toEqual([[signal], []])
      expect(endings).toMatchObject([{ reason: 'signal', gameServer: { object_meta: { resource_version: '1' } } }])
      expect(endings[0]!.deadline).toBeGreaterThanOrEqual(before + 10_000)
      expect(endings[0]!.deadline).toBeLessThanOrEqual(Date.now() + 10_000)
    }
  },
)

test('a watch that closes almost like a stopping gateway emits no signal', async () => {
  const told = await Promise.all([
    toldAfter('websocket', closing(1001, 'SIGTERM please')),
    toldAfter('websocket', closing(1000, 'SIGTERM')),
    toldAfter('stream', saying(14, stopping('SIGTERMINAL'))),
    toldAfter('stream', saying(14, `${stopping('SIGTERM')}, or not`)),
    toldAfter('stream', saying(2, stopping('SIGTERM'))),
  ])
  for (const one of told) expect(one).toMatchObject({ signals: [], endings: [] })
})

test.each<[string, GameServer]>([
  ['is deleted', gameServer(2, { deletion_timestamp: '1700000001' })],
  ['is Shutdown', gameServer(2, { state: 'Shutdown' })],
])('once a GameServer %s, a refused connection is UNAVAILABLE at once', async (_end, last) => {
  const { client, sidecar } = await connected()
  client.on('error', () => {})
  const ending = client.once('ending')
  sidecar.publish(last)
  await ending
  await sidecar.stop()
  while (client.status.connection === 'connected') await client.once('connection')
  const soon = { timeout: 5000 }
  const calls = [client.getGameServer(soon), client.setLabel('a', 'b', soon), client.health(soon)]
  for (const call of await Promise.allSettled(calls)) expect(call).toMatchObject({ reason: { code: 'UNAVAILABLE' } })
})

/** Requests a second, besides beats, that a client may make in the long run. */
const MOST = 2

test('beats beside calls dial ever less often where a sidecar answers reads and then refuses', async () => {
  const options = { autoHealth: true, watch: 'stream', retry: { timeout: 1e6 } } as const
  const { client, answer, asked, paths, pass } = searching(options)
  answer((path) => (path === '/gameserver' ? good : 'refused'))
  for (const call of [client.getCounter('a'), client.setLabel('a', 'b')]) ignore(call)
  await pass(30_000)
  const late = asked.flatMap((at, index) => (at >= 10_000 ? [paths[index]!] : []))
  expect(late.length).toBeGreaterThan(0)
  expect(late.filter((path) => path !== '/health').length / 20).toBeLessThanOrEqual(MOST)
  // Half of a period of 5 s.
  expect(late.filter((path) => path === '/health').length / 20).toBeLessThanOrEqual(1)
})
