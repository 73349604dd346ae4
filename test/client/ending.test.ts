import { expect, onTestFinished, test } from 'vitest'
import type { EndingEvent, SidecarClient } from '../../src/index.js'
import { closeFrame } from '../support/fault-server-frames.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { following, sending } from '../support/fault-server-steps.js'
import type { Step } from '../support/fault-server.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient, connectPage, startSidecar } from '../support/with-sidecar.js'

function listen(client: SidecarClient): EndingEvent[] {
  const told: EndingEvent[] = []
  client.on('ending', (event) => void told.push(event))
  return told
}

test('shutdown() and a deletion after it lead to one ending event', async () => {
  const sidecar = await startSidecar()
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

test('the host of a page tells it of the end with a deadline, until the client is closed', async () => {
  const sidecar = await startSidecar()
  const host = new EventTarget()
  const globals = globalThis as { gameServerHost?: unknown }
  globals.gameServerHost = host
  onTestFinished(() => void delete globals.gameServerHost)
  const [client, closed] = [connectPage(sidecar), connectPage(sidecar)]
  const [told, toldClosed] = [listen(client), listen(closed)]
  closed.close()
  host.dispatchEvent(Object.assign(new Event('ending'), { deadline: 4711 }))
  expect(told).toMatchObject([{ reason: 'signal', deadline: 4711 }])
  expect(toldClosed).toEqual([])
})

interface Told {
  signals: string[]
  endings: EndingEvent[]
}

/** What a client is told whose first watch ends so; its second is a good one. */
async function toldAfter(watch: 'websocket' | 'stream', end: Step): Promise<Told> {
  const sidecar = await startScripted([
    { on: 'watch', nth: 1, step: sending([gameServer(1)], end) },
    { on: 'watch', step: following },
  ])
  const client = connectClient(sidecar, { watch, random: () => 0, verifyInterval: 0 })
  const signals: string[] = []
  client.on('signal', ({ signal }) => void signals.push(signal))
  const endings = listen(client)
  await sidecar.until(() => sidecar.followers > 0, 'the second watch')
  sidecar.publish(gameServer(2))
  await client.waitFor(({ object_meta }) => object_meta.resource_version === '2')
  return { signals, endings }
}

const closing =
  (code: number, reason: string): Step =>
  async (exchange) => {
    await exchange.write(closeFrame(code, reason))
    exchange.connection.finish()
  }

const saying =
  (code: number, message: string): Step =>
  async (exchange) => {
    await exchange.sendText(JSON.stringify({ error: { code, message, details: [] } }))
    await exchange.end()
  }

const stopping = (signal: string): string => `The gateway is stopping (${signal})`

test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGBREAK', 'SIGUSR1', 'SIGUSR2'])(
  'a gateway that stops with %s is told as that signal once, over both transports',
  async (signal) => {
    expect((await toldAfter('websocket', closing(1001, signal))).signals).toEqual([signal])
    expect((await toldAfter('stream', saying(14, stopping(signal)))).signals).toEqual([signal])
  },
)

test('a gateway that stops leaves its page 10 s', async () => {
  const before = Date.now()
  const { endings } = await toldAfter('websocket', closing(1001, 'SIGTERM'))
  expect(endings).toMatchObject([{ reason: 'signal', gameServer: { object_meta: { resource_version: '1' } } }])
  expect(endings[0]!.deadline).toBeGreaterThanOrEqual(before + 10_000)
  expect(endings[0]!.deadline).toBeLessThanOrEqual(Date.now() + 10_000)
})

test.each([
  [1001, 'SIGTERM please'],
  [1000, 'SIGTERM'],
])('a WebSocket that closes with %i "%s" is told as no signal', async (code, reason) => {
  expect(await toldAfter('websocket', closing(code, reason))).toEqual({ signals: [], endings: [] })
})

test.each([
  [14, stopping('SIGTERMINAL')],
  [14, `${stopping('SIGTERM')}, or not`],
  [2, stopping('SIGTERM')],
])('a stream that ends with the error %i "%s" is told as no signal', async (code, message) => {
  expect(await toldAfter('stream', saying(code, message))).toEqual({ signals: [], endings: [] })
})
