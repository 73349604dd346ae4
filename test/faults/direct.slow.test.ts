import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import WebSocket from 'ws'
import { createClient, type ClientOptions, type SidecarClient } from '../../src/index.js'
import { emulateBrowser } from '../client/emulated-browser-fetch.js'
import { createScriptedSidecar, type Rule } from '../support/fault-server.js'
import { gameServer } from '../support/game-server.js'
import * as steps from '../support/fault-server-steps.js'
import { hurried } from '../support/virtual-clock.js'
import { countDials, observe } from './observe.js'

const pageOrigin = 'http://game.example'
beforeAll(() => void vi.stubGlobal('location', { origin: pageOrigin, search: '' }))
afterAll(() => void vi.unstubAllGlobals())

/** Runs the client's clock faster. All times below are on the client's own clock. */
const clock = hurried(10)

/** A page of another origin whose client listens to everything, before a sidecar that follows a script. */
async function openPage(rules: readonly Rule[], options: ClientOptions = {}) {
  const sidecar = await createScriptedSidecar(rules)
  const { fetch, sent } = emulateBrowser(pageOrigin)
  const observed = observe({ ...clock.options, baseUrl: sidecar.url, fetch, WebSocket, ...options }, createClient)
  onTestFinished(async () => {
    observed.client.close()
    await sidecar.untilNoSockets()
    await sidecar.close()
  })
  return Object.assign(observed, { sidecar, fetch, sent })
}

const noWebSocket: Rule = { on: 'watch', step: steps.answering({ status: 404, body: '{}' }) }
const withRooms = (values: string[], state = 'Ready') =>
  gameServer(1, { state, lists: { rooms: { capacity: '3', values } } })

const writes: readonly [string, string, (client: SidecarClient) => Promise<unknown>][] = [
  ['ready', '/ready', (client) => client.ready()],
  ['allocate', '/allocate', (client) => client.allocate()],
  ['reserve', '/reserve', (client) => client.reserve(1)],
  ['shutdown', '/shutdown', (client) => client.shutdown()],
  ['addListValue', '/v1beta1/lists/rooms:addValue', (client) => client.addListValue('rooms', 'c')],
  ['removeListValue', '/v1beta1/lists/rooms:removeValue', (client) => client.removeListValue('rooms', 'a')],
]

test.each(writes)('in direct mode %s() goes out once if no answer comes', async (operation, path, write) => {
  const { client, sidecar, until } = await openPage([{ on: `POST ${path}`, step: steps.breaking('reset') }])
  sidecar.publish(withRooms(['a', 'b'], 'Scheduled'))
  await until(() => client.status.transport === 'websocket', 'the watch')
  await expect(write(client)).rejects.toMatchObject({ code: 'UNKNOWN_OUTCOME', operation })
  expect(sidecar.requests.filter(({ method }) => method !== 'GET' && method !== 'OPTIONS')).toHaveLength(1)
})

test.each(writes)('in direct mode %s() goes out once, whatever is answered', async (_operation, path, write) => {
  const step = steps.answering({ status: 500, body: '{"code":2,"message":"no","details":[]}' })
  const { client, sidecar, sent } = await openPage([{ on: `POST ${path}`, step }], { crossOrigin: 'direct' })
  const values = ['a']
  sidecar.publish(withRooms(values, 'Scheduled'))
  const start = clock.now()
  const outcome = await write(client)
  if (typeof outcome === 'object') expect(outcome).toEqual({ name: 'rooms', capacity: 3, values, outcome: 'sent' })
  else expect(outcome).toBe('sent')
  expect(clock.now() - start).toBeGreaterThanOrEqual(3000)
  expect(sent.filter(({ method }) => method === 'POST')).toEqual([
    expect.objectContaining({ path, contentType: 'text/plain', seen: 'opaque' }),
  ])
  expect(sidecar.clientFrames.filter(({ opcode }) => opcode !== 8)).toEqual([])
})

test('in direct mode a late write resolves with "sent", and an aborted or closed one rejects', async () => {
  const { client, until } = await openPage([], { crossOrigin: 'direct' })
  await until(() => client.status.transport === 'websocket', 'the watch')
  expect(await client.allocate({ timeout: 500 })).toBe('sent')
  const controller = new AbortController()
  const stopped = client.allocate({ signal: controller.signal })
  await client.getGameServer()
  controller.abort()
  await expect(stopped).rejects.toMatchObject({ code: 'ABORTED' })
  const closed = client.allocate()
  await client.getGameServer()
  client.close()
  await expect(closed).rejects.toMatchObject({ code: 'CLOSED' })
})

test('answers are readable again after a proxy has answered without CORS and without a watch', async () => {
  const { client, sidecar, errors, until } = await openPage([
    noWebSocket,
    { on: '*', step: steps.answering({ status: 502 }) },
  ])
  await until(() => errors.length > 0, 'the error')
  expect(errors[0]).toMatchObject({ code: 'CROSS_ORIGIN' })
  const shared = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'content-type' }
  const answered = (body: object) => steps.answering({ body: JSON.stringify(body), headers: shared })
  sidecar.play([noWebSocket, { on: 'GET /gameserver', step: answered(gameServer(1)) }, { on: '*', step: answered({}) }])
  await until(() => client.gameServer !== undefined || client.status.connection === 'connected', 'an answer')
  expect(await client.ready()).toBe('accepted')
  expect(client.status.direct).toBe(false)
})
test('in direct mode a sidecar is found over WebSockets alone, at its first start and after a restart', async () => {
  const { client, sidecar, seen, connections } = await openPage([])
  await seen(1)
  for (let version = 2; version < 6; version++) {
    await sidecar.stop()
    sidecar.publish(gameServer(version))
    await sidecar.start()
    await seen(version)
    expect((await client.getGameServer()).object_meta.resource_version).toBe(`${version}`)
  }
  expect(new Set(connections.map(({ transport }) => transport))).toEqual(new Set([undefined, 'websocket']))
  expect(sidecar.requests.filter(({ path, isUpgrade }) => path === '/watch/gameserver' && !isUpgrade)).toEqual([])
})

test.each(['auto', 'direct'] as const)(
  'with crossOrigin: %s an absent sidecar is not dialled more often than promised',
  async (crossOrigin) => {
    const { dials, options } = countDials(clock.now)
    const browser = emulateBrowser(pageOrigin)
    const sidecar = await createScriptedSidecar()
    await sidecar.stop()
    const client = createClient({
      ...clock.options,
      baseUrl: sidecar.url,
      crossOrigin,
      WebSocket: options.WebSocket,
      fetch: (url, init) =>
        init.mode === 'no-cors' || init.method === 'GET' ? options.fetch(url, init) : browser.fetch(url, init),
    })
    client.on('gameserver', () => {})
    await clock.pass(30_000)
    client.close()
    expect(steps.busiestSecond(dials)).toBeLessThanOrEqual(10)
    expect(dials.length / 30).toBeLessThanOrEqual(2)
    expect(dials.length).toBeGreaterThan(3)
    await sidecar.close()
  },
)

test('without answers and without a watch, waits reject, and the watch starts once the fault has passed', async () => {
  const { client, sidecar, seen } = await openPage([noWebSocket])
  await expect(client.waitFor('Ready')).rejects.toMatchObject({ code: 'CROSS_ORIGIN' })
  await expect(client.once('state')).rejects.toMatchObject({ code: 'CROSS_ORIGIN' })
  await expect(client.watchGameServer()[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: 'CROSS_ORIGIN',
  })
  sidecar.play([])
  await seen(1)
  expect(client.status.direct).toBe(true)
  expect((await client.waitFor('Ready')).object_meta.resource_version).toBe('1')
})
