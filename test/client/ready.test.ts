import { describe, expect, test } from 'vitest'
import type { ClientOptions, Outcome, SidecarClient, WriteOptions } from '../../src/index.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import type { ScriptedSidecar } from '../support/fault-server.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { calls, connectClient, startSidecar } from '../support/with-sidecar.js'

type Call = (client: SidecarClient, options?: WriteOptions) => Promise<Outcome>

const stateCalls: [string, Call][] = [
  ['ready', (client, options) => client.ready(options)],
  ['allocate', (client, options) => client.allocate(options)],
  ['reserve', (client, options) => client.reserve(10, options)],
  ['shutdown', (client, options) => client.shutdown(options)],
]

/** `force` is a word of `ready()` alone. */
const force = (options: object = {}): WriteOptions => ({ force: true, ...options }) as WriteOptions

/** A client whose connected watch shows this state, beside a sidecar that accepts every call and changes nothing. */
async function watching(state: string, options: ClientOptions = {}): Promise<[SidecarClient, ScriptedSidecar]> {
  const sidecar = await startScripted()
  sidecar.publish(gameServer(1, state))
  const client = connectClient(sidecar, options)
  client.on('gameserver', () => {})
  while (client.status.transport === undefined) await client.once('connection')
  await client.waitFor(state)
  return [client, sidecar]
}

const writesTo = ({ requests }: ScriptedSidecar): string[] =>
  requests.filter(({ method }) => method !== 'GET').map(({ path }) => path)

describe('what the sidecar would accept and ignore is refused at once, in words, and not sent', () => {
  const refused = [
    ...stateCalls.map(([operation, call]) => ['Unhealthy', operation, call] as const),
    ...stateCalls.slice(0, 3).map(([operation, call]) => ['Shutdown', operation, call] as const),
  ]

  test.each(refused.flatMap((row) => [[...row, {}] as const, [...row, { confirm: true }] as const]))(
    'while the watch shows %s: %s()',
    async (state, operation, call, options) => {
      const [client, sidecar] = await watching(state)
      await expect(call(client, { timeout: 2000, ...options })).rejects.toMatchObject({
        name: 'SidecarError',
        code: 'UNAVAILABLE',
        operation,
        message: expect.stringContaining(state),
        hint: expect.stringMatching(/ignore/i),
      })
      await expect(call(client, { timeout: 2000, ...options })).rejects.toMatchObject({
        hint: expect.not.stringMatching(/running|local/i),
      })
      expect(writesTo(sidecar)).toEqual([])
    },
  )

  test('as the local sidecar shows it in production mode', async () => {
    const sidecar = await startSidecar({ mode: 'production' })
    const client = connectClient(sidecar)
    await client.waitFor(() => true)
    while (client.status.transport === undefined) await client.once('connection')
    sidecar.control({ type: 'makeUnhealthy' })
    await client.waitFor('Unhealthy')
    await expect(client.ready()).rejects.toMatchObject({ code: 'UNAVAILABLE', operation: 'ready' })
    expect(calls(sidecar)).not.toContain('ready')
  })
})

test('shutdown() while the watch shows Shutdown is confirmed without being sent', async () => {
  const [client, sidecar] = await watching('Shutdown')
  expect(await client.shutdown()).toBe('confirmed')
  expect(await client.shutdown({ confirm: true })).toBe('confirmed')
  expect(writesTo(sidecar)).toEqual([])
})

test.each(stateCalls)('%s() is sent where only a read, and no watch, has shown Unhealthy', async (_operation, call) => {
  const sidecar = await startScripted()
  sidecar.publish(gameServer(1, 'Unhealthy'))
  const client = connectClient(sidecar)
  await client.getGameServer()
  expect(await call(client)).toBe('accepted')
})

test.each(stateCalls)('%s() is sent where the watch has shown Unhealthy and is lost since', async (operation, call) => {
  const [client, sidecar] = await watching('Unhealthy')
  await sidecar.stop()
  while (client.status.connection === 'connected') await client.once('connection')
  sidecar.play([{ on: 'watch', step: (exchange) => exchange.reply({ status: 503 }) }])
  sidecar.publish(gameServer(2, 'Scheduled'))
  await sidecar.start()
  expect(await call(client)).toBe('accepted')
  expect(writesTo(sidecar)).toEqual([`/${operation}`])
})

test.each([
  ['setLabel', (client: SidecarClient) => client.setLabel('a', 'b')],
  ['health', (client: SidecarClient) => client.health()],
])('%s() is no state call: it is sent while the watch shows Shutdown', async (_operation, call) => {
  const [client] = await watching('Shutdown')
  expect(await call(client)).toBe('accepted')
})

describe('ready() while the connected watch shows Ready', () => {
  test('is confirmed without being sent: it could undo an allocation that is on its way', async () => {
    const [client, sidecar] = await watching('Ready')
    expect(await client.ready()).toBe('confirmed')
    expect(await client.ready({ confirm: true })).toBe('confirmed')
    expect(await Promise.all([client.ready(), client.ready()])).toEqual(['confirmed', 'confirmed'])
    expect(writesTo(sidecar)).toEqual([])
  })

  test('is not sent by a real client of the local sidecar either', async () => {
    const sidecar = await startSidecar({ mode: 'production' })
    const client = connectClient(sidecar)
    await client.ready({ confirm: true })
    expect(await client.ready()).toBe('confirmed')
    expect(calls(sidecar).filter((name) => name === 'ready')).toHaveLength(1)
  })

  test('is sent with force: true', async () => {
    const [client, sidecar] = await watching('Ready')
    expect(await client.ready(force())).toBe('accepted')
    expect(writesTo(sidecar)).toEqual(['/ready'])
  })

  test.each(['Scheduled', 'RequestReady', 'Allocated', 'Reserved'])('is sent while it shows %s', async (state) => {
    const [client, sidecar] = await watching(state)
    expect(await client.ready()).toBe('accepted')
    expect(writesTo(sidecar)).toEqual(['/ready'])
  })

  test('is sent where only a read has shown Ready', async () => {
    const sidecar = await startScripted()
    const client = connectClient(sidecar)
    await client.getGameServer()
    expect(await client.ready()).toBe('accepted')
  })

  test('allocate() is sent all the same', async () => {
    const [client, sidecar] = await watching('Ready')
    expect(await client.allocate()).toBe('accepted')
    expect(writesTo(sidecar)).toEqual(['/allocate'])
  })
})

test('force: true is an option of no other call', async () => {
  const [client, sidecar] = await watching('Ready')
  await expect(client.allocate(force())).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining('force'),
  })
  expect(writesTo(sidecar)).toEqual([])
})

describe('whether the sidecar is running is no question while the client is connected', () => {
  const waits: [string, (client: SidecarClient) => Promise<unknown>][] = [
    ['ready({ confirm })', (client) => client.ready({ confirm: true, timeout: 100 })],
    ['setLabel({ confirm })', (client) => client.setLabel('a', 'b', { confirm: true, timeout: 100 })],
    ['waitFor', (client) => client.waitFor('Allocated', { timeout: 100 })],
    ['once', (client) => client.once('error', { timeout: 100 })],
  ]
  test.each(waits)('%s', async (_name, call) => {
    const [client] = await watching('Scheduled')
    const error = await call(client).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'TIMEOUT', message: expect.not.stringMatching(/running/i) })
  })
})
