import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/index.js'
import type { CallOptions, ClientOptions, ConnectionEvent, SidecarClient } from '../../src/index.js'
import { calls, connectClient, startSidecar, untilLogged } from '../support/with-sidecar.js'

const baseUrl = 'http://127.0.0.1:1'

describe('an option that can not be right is CONFIG at once', () => {
  it.each<[string, ClientOptions | null]>([
    ['watch', { baseUrl, watch: 'foo' as never }],
    ['int64', { baseUrl, int64: 'float' as never }],
    ['timeout', { baseUrl, timeout: 0 }],
    ['timeout', { baseUrl, timeout: NaN }],
    ['autoHealth.interval', { baseUrl, autoHealth: { interval: -1 } }],
    ['signal', { baseUrl, signal: {} as never }],
    ['Nothing says', null],
  ])('%s', (named, options) => {
    expect(() => createClient(options as ClientOptions)).toThrow(
      expect.objectContaining({ code: 'CONFIG', message: expect.stringContaining(named) }),
    )
  })
})

describe('arguments that are missing are typed errors', () => {
  it.each<[string, (client: SidecarClient) => Promise<unknown>]>([
    ['updateCounter', (client) => client.updateCounter('rooms', undefined as never)],
    ['updateList', (client) => client.updateList('players', null as never)],
    ['an annotation over 256 KiB in UTF-8', (client) => client.setAnnotation('a', '€'.repeat(100_000))],
  ])('%s', async (_name, call) => {
    const sidecar = await startSidecar()
    await expect(call(connectClient(sidecar))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(calls(sidecar)).toEqual([])
  })
})

it('null for the options of a call is none', async () => {
  const client = connectClient(await startSidecar())
  expect((await client.getGameServer(null as never)).object_meta.name).toBe('local')
})

it('once() ends as waitFor() does where somebody answers who is no sidecar', async () => {
  const server = createServer((_request, response) =>
    response.writeHead(404, { 'content-type': 'text/html' }).end('<p>no'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const client = connectClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  const once = client.once('state').catch((error: unknown) => error)
  const waited = client.waitFor('Ready').catch((error: unknown) => error)
  expect(await once).toMatchObject({ code: 'PROTOCOL', status: 404 })
  expect(await waited).toMatchObject({ code: 'PROTOCOL', status: 404 })
  expect(client.status.connection).toBe('failed')
})

it('a call that is made just when the last one that waited is stopped waits by itself', async () => {
  const sidecar = await startSidecar()
  sidecar.control({ type: 'delayCalls', ms: 300 })
  const client = connectClient(sidecar)
  const controller = new AbortController()
  const stopped = client.connect({ signal: controller.signal }).catch((error: unknown) => error)
  await untilLogged(sidecar, () => calls(sidecar).length > 0)
  controller.abort()
  expect((await client.connect()).object_meta.name).toBe('local')
  expect(await stopped).toMatchObject({ code: 'ABORTED' })
})

describe('a call whose time is up', () => {
  it.each<[string, (client: SidecarClient, options: CallOptions) => Promise<unknown>]>([
    ['ready', (client, options) => client.ready(options)],
    ['setLabel', (client, options) => client.setLabel('mode', 'duel', options)],
    ['updateCounter', (client, options) => client.updateCounter('rooms', { countDiff: 1 }, options)],
    ['addListValue', (client, options) => client.addListValue('players', 'a', options)],
  ])('is UNKNOWN_OUTCOME once it was sent, and TIMEOUT while it waits for its turn: %s', async (operation, call) => {
    const sidecar = await startSidecar()
    const client = connectClient(sidecar)
    await client.connect()
    sidecar.control({ type: 'delayCalls', ms: 60_000 })
    const sent = call(client, { timeout: 200 })
    const waiting = call(client, { timeout: 100 })
    await expect(waiting).rejects.toMatchObject({ code: 'TIMEOUT', operation })
    await expect(sent).rejects.toMatchObject({ code: 'UNKNOWN_OUTCOME', operation })
    await expect(client.getGameServer({ timeout: 100 })).rejects.toMatchObject({ code: 'TIMEOUT' })
  })
})

it('a client whose signal is aborted says that it is closed, and stays so', async () => {
  const sidecar = await startSidecar()
  const controller = new AbortController()
  const client = connectClient(sidecar, { signal: controller.signal })
  const states: ConnectionEvent['state'][] = []
  client.on('connection', ({ state }) => void states.push(state))
  await client.waitFor(() => true)
  controller.abort()
  client.on('state', () => {})
  await expect(client.ready()).rejects.toMatchObject({ code: 'ABORTED' })
  expect(states.at(-1)).toBe('closed')
  expect(client.status.connection).toBe('closed')
})

it('using and every name of close() end a client', async () => {
  const sidecar = await startSidecar()
  for (const end of ['close', 'destroy', 'dispose', Symbol.dispose] as const) {
    const client = connectClient(sidecar)
    client[end]()
    client[end]()
    await expect(client.getGameServer()).rejects.toMatchObject({ code: 'CLOSED' })
  }
})

it('what nobody listens to is logged, and so is what a listener throws', async () => {
  const sidecar = await startSidecar()
  const warnings: string[] = []
  const errors: unknown[] = []
  const client = connectClient(sidecar, {
    logger: { warn: (text) => warnings.push(text), error: (e) => errors.push(e) },
  })
  client.on('state', () => {
    throw new Error('a bug of the game')
  })
  await client.waitFor(() => true)
  sidecar.control({ type: 'makeUnhealthy' })
  await client.waitFor('Unhealthy')
  expect(warnings).toEqual([expect.stringContaining('Unhealthy')])
  expect(errors).toHaveLength(2)
})

describe('shutdown()', () => {
  it('twice is answered twice', async () => {
    const sidecar = await startSidecar()
    const client = connectClient(sidecar)
    await Promise.all([client.shutdown(), client.shutdown()])
    await client.waitFor('Shutdown')
    expect(calls(sidecar).filter((name) => name === 'shutdown')).toHaveLength(2)
  })

  it('ends in time where the sidecar has gone', async () => {
    const sidecar = await startSidecar()
    const client = connectClient(sidecar)
    await client.connect()
    await sidecar.close()
    // On a connection that was kept, nobody can tell whether it still arrived.
    await expect(client.shutdown({ timeout: 300 })).rejects.toMatchObject({
      code: expect.stringMatching(/^(TIMEOUT|UNKNOWN_OUTCOME)$/),
    })
    await expect(client.shutdown({ timeout: 300 })).rejects.toMatchObject({ code: 'TIMEOUT' })
  })

  it('during backoff goes out once, as soon as the sidecar is back', async () => {
    const sidecar = await startSidecar()
    const client = connectClient(sidecar)
    await client.connect()
    const restarted = sidecar.restart({ downMs: 600 })
    await client.getGameServer({ timeout: 100 }).catch(() => {})
    await client.shutdown({ confirm: true })
    await restarted
    expect(calls(sidecar).filter((name) => name === 'shutdown')).toHaveLength(1)
  })

  it('ends at once by close(), also during backoff', async () => {
    const client = createClient({ baseUrl })
    const ending = client.shutdown()
    client.close()
    await expect(ending).rejects.toMatchObject({ code: 'CLOSED' })
  })
})
