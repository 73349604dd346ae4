import { expect, onTestFinished, test } from 'vitest'
import type { EndingEvent, SidecarClient } from '../../src/index.js'
import { closeFrame } from '../support/fault-server-frames.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { following, sending } from '../support/fault-server-steps.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient, startSidecar } from '../support/with-sidecar.js'

function listen(client: SidecarClient): EndingEvent[] {
  const told: EndingEvent[] = []
  client.on('ending', (event) => void told.push(event))
  return told
}

test('shutdown() leads to one ending, whatever is told after it', async () => {
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

test('a GameServer that is deleted from outside ends, though it is never Shutdown', async () => {
  const sidecar = await startSidecar()
  const client = connectClient(sidecar)
  const told = listen(client)
  await client.ready({ confirm: true })
  sidecar.control({ type: 'delete' })
  await expect.poll(() => told).toMatchObject([{ reason: 'deleted', gameServer: { status: { state: 'Ready' } } }])
})

test('a GameServer that becomes Unhealthy ends', async () => {
  const sidecar = await startSidecar()
  const client = connectClient(sidecar)
  client.on('error', () => {})
  const told = listen(client)
  await client.ready({ confirm: true })
  sidecar.control({ type: 'makeUnhealthy' })
  await expect.poll(() => told).toMatchObject([{ reason: 'unhealthy' }])
})

test('a listener that comes after the end is told of it, once, and a removed one is not', async () => {
  const sidecar = await startSidecar()
  const client = connectClient(sidecar)
  await client.shutdown({ confirm: true })
  const [first] = listen(client)
  expect(first).toBeUndefined()
  expect(await client.once('ending', { timeout: 20_000 })).toMatchObject({ reason: 'shutdown' })
  const removed: EndingEvent[] = []
  client.on('ending', (event) => void removed.push(event))()
  const late = listen(client)
  await expect.poll(() => late.length).toBe(1)
  expect(removed).toEqual([])
})

test('the first listener of an ending opens the watch', async () => {
  const sidecar = await startSidecar()
  const client = connectClient(sidecar)
  const told = listen(client)
  sidecar.control({ type: 'setState', state: 'Shutdown' })
  await expect.poll(() => told).toMatchObject([{ reason: 'shutdown' }])
})

test('a gateway that was told to stop ends this page within its 10 s', async () => {
  const sidecar = await startScripted([
    {
      on: 'watch',
      nth: 1,
      step: sending([gameServer(1)], async (exchange) => {
        await exchange.write(closeFrame(1001, 'SIGTERM'))
        exchange.connection.finish()
      }),
    },
    { on: 'watch', step: following },
  ])
  const client = connectClient(sidecar, { watch: 'websocket' })
  const order: string[] = []
  client.on('signal', () => void order.push('signal'))
  const told = listen(client)
  client.on('ending', () => void order.push('ending'))
  const before = Date.now()
  await expect
    .poll(() => told)
    .toMatchObject([{ reason: 'signal', gameServer: { object_meta: { resource_version: '1' } } }])
  expect(told[0]!.deadline - before).toBeGreaterThanOrEqual(10_000)
  expect(told[0]!.deadline).toBeLessThanOrEqual(Date.now() + 10_000)
  expect(order).toEqual(['signal', 'ending'])
})

test('a host that ends its page tells of it with its own deadline, and is let go of with the client', async () => {
  const sidecar = await startSidecar()
  const host = new EventTarget()
  const globals = globalThis as { gameServerHost?: unknown }
  globals.gameServerHost = host
  onTestFinished(() => void delete globals.gameServerHost)
  const client = connectClient(sidecar)
  const closed = connectClient(sidecar)
  const told = listen(client)
  const toldClosed = listen(closed)
  closed.close()
  host.dispatchEvent(Object.assign(new Event('ending'), { deadline: 4711 }))
  expect(told).toMatchObject([{ reason: 'signal', deadline: 4711 }])
  expect(toldClosed).toEqual([])
})
