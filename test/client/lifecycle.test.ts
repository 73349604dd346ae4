import { describe, expect, test, onTestFinished } from 'vitest'
import { type GameServer, createClient, type SidecarClient } from '../../src/index.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'
import { VirtualClock } from '../support/virtual-clock.js'

const isVersion =
  (version: number) =>
  ({ object_meta }: GameServer): boolean =>
    object_meta.resource_version === String(version)

test.each(['close', 'destroy', 'dispose', Symbol.dispose] as const)('%s() ends a client, also twice', async (end) => {
  const client = connectClient(await startScripted())
  client[end]()
  client[end]()
  await expect(client.getGameServer()).rejects.toMatchObject({ code: 'CLOSED' })
})

test('a client whose signal is aborted closes for good, and its calls reject with ABORTED', async () => {
  const controller = new AbortController()
  const sidecar = await startScripted()
  const clients = [1, 2, 3].map(() => connectClient(sidecar, { signal: controller.signal }))
  const [client] = clients as [(typeof clients)[0]]
  const states: string[] = []
  client.on('connection', ({ state }) => void states.push(state))
  await client.waitFor('Ready')
  const waiting = clients.map((one) => one.once('error', { signal: controller.signal }))
  controller.abort()
  for (const one of await Promise.allSettled(waiting)) expect(one).toMatchObject({ reason: { code: 'ABORTED' } })
  client.on('state', () => {})
  await expect(client.ready()).rejects.toMatchObject({ code: 'ABORTED' })
  expect(states.at(-1)).toBe('closed')
  expect(clients.map(({ status }) => status.connection)).toEqual(['closed', 'closed', 'closed'])
  await sidecar.untilNoSockets()
})

test('a client made with an aborted signal is closed', async () => {
  const sidecar = await startScripted()
  const client = connectClient(sidecar, { signal: AbortSignal.abort(), autoHealth: true })
  client.on('gameserver', () => {})
  await expect(client.getGameServer()).rejects.toMatchObject({ code: 'ABORTED' })
  expect(client.status.connection).toBe('closed')
  expect(sidecar.dials).toEqual([])
})

test('a client dials nothing before it is asked for something', async () => {
  const sidecar = await startScripted()
  const client = connectClient(sidecar)
  client.on('connection', () => {})
  client.alive()
  client.tick()
  expect(client.status).toMatchObject({ connection: 'idle', heartbeat: undefined, lastBeat: undefined })
  await new Promise(setImmediate)
  expect(sidecar.dials).toEqual([])
})

describe('waitFor()', () => {
  test('waitFor() asks its function of each object until one passes, and then no more', async () => {
    const sidecar = await startScripted()
    const client = connectClient(sidecar, { verifyInterval: 0 })
    const asked: string[] = []
    const second = client.waitFor((object) => {
      asked.push(object.object_meta.resource_version)
      return isVersion(2)(object)
    })
    await client.waitFor('Ready')
    await sidecar.until(() => sidecar.followers === 1, 'the watch')
    sidecar.publish(gameServer(2))
    expect(await second).toEqual(gameServer(2))
    sidecar.publish(gameServer(3))
    await client.waitFor(isVersion(3))
    expect(asked).toEqual(['1', '2'])
    expect(client.gameServer).toEqual(gameServer(3))
  })

  test('waitFor() resolves with the present object, also when the sidecar has gone', async () => {
    const sidecar = await startScripted()
    const client = connectClient(sidecar, { verifyInterval: 0 })
    await client.waitFor('Ready')
    await sidecar.until(() => sidecar.followers === 1, 'the watch')
    await sidecar.stop()
    expect(await client.waitFor('Ready', { timeout: 5000 })).toEqual(gameServer(1))
  })

  test('waitFor() whose function throws rejects with UNKNOWN and that cause, and others wait on', async () => {
    const client = connectClient(await startScripted())
    const fault = new TypeError('a bug of the game')
    const failing = client.waitFor(() => {
      throw fault
    })
    const other = client.waitFor('Ready')
    await expect(failing).rejects.toMatchObject({ code: 'UNKNOWN', operation: 'waitFor', cause: fault })
    expect((await other).status.state).toBe('Ready')
  })

  test('waitFor() asks its function no more once its signal is aborted', async () => {
    const sidecar = await startScripted()
    const client = connectClient(sidecar, { verifyInterval: 0 })
    const controller = new AbortController()
    let asked = 0
    const waiting = client.waitFor(() => asked++ < 0, { signal: controller.signal })
    await client.waitFor('Ready')
    controller.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' })
    const before = asked
    await sidecar.until(() => sidecar.followers === 1, 'the watch')
    sidecar.publish(gameServer(2))
    await client.waitFor(isVersion(2))
    expect(asked).toBe(before)
  })
})

test('30 clients on one AbortSignal print no warning of Node, and the signal closes them all', async () => {
  const warnings: string[] = []
  const collect = ({ name }: Error): void => void warnings.push(name)
  process.on('warning', collect)
  onTestFinished(() => void process.removeListener('warning', collect))
  const sidecar = await startScripted()
  const controller = new AbortController()
  const { signal } = controller
  const clients = Array.from({ length: 30 }, () => connectClient(sidecar, { signal }))
  await Promise.all(clients.map((client) => client.getGameServer({ signal })))
  expect(warnings).toEqual([])
  controller.abort()
  expect(new Set(clients.map(({ status }) => status.connection))).toEqual(new Set(['closed']))
})

type WithAfter = SidecarClient & { after(ms: number, run: () => void): unknown }

test('client.after() runs once, by the clock of the client, and not after close()', () => {
  const clock = new VirtualClock()
  const options = { baseUrl: 'http://127.0.0.1:1', now: clock.now, scheduler: clock }
  const client = createClient(options) as WithAfter
  const ran: string[] = []
  client.after(1000, () => ran.push('first'))
  client.after(5000, () => ran.push('never'))
  clock.advance(999)
  expect(ran).toEqual([])
  clock.advance(1)
  expect(ran).toEqual(['first'])
  clock.advance(2000)
  client.close()
  clock.advance(10_000)
  client.after(1, () => ran.push('too late'))
  clock.advance(10_000)
  expect(ran).toEqual(['first'])
  expect(clock.pending).toBe(0)
})

test('client.after() is driven by tick() where the host has no timers', () => {
  let time = 0
  const options = { baseUrl: 'http://127.0.0.1:1', now: () => time, scheduler: false } as const
  const client = createClient(options) as WithAfter
  let runs = 0
  client.after(1000, () => runs++)
  time = 999
  client.tick()
  expect(runs).toBe(0)
  time = 1000
  client.tick()
  client.tick()
  expect(runs).toBe(1)
  client.close()
})
