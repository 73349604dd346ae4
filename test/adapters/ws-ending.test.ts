import { expect } from 'vitest'
import type { WebSocket } from 'ws'
import { createClient } from '../../src/index.node.js'
import { calls } from '../support/with-sidecar.js'
import { listening, stateOf, test, until } from './socket-servers.js'

const shutdowns = (sidecar: Parameters<typeof calls>[0]): number =>
  calls(sidecar).filter((operation) => operation === 'shutdown').length

test.concurrent('the end goes in order: nobody new, onEnding, goodbye, the server, the client', async ({ world }) => {
  const sidecar = await world.sidecarWithSeats()
  const server = await world.webSocketServer()
  const steps: unknown[] = []
  const attached = world.attach(sidecar, server, {
    async onEnding({ reason }) {
      steps.push(reason)
      steps.push(await world.visit(server, '/?player=ben').closed)
      server.clients.forEach((socket) => socket.send('score'))
      await new Promise((resolve) => setTimeout(resolve, 20))
      steps.push('saved')
    },
  })
  await until(() => stateOf(sidecar), 'Ready')
  server.on('close', () => steps.push('server'))
  const ann = world.visit(server, '/?player=ann')
  await ann.opened
  await attached.client.shutdown()
  await attached.ended
  expect(steps).toEqual(['shutdown', [503, 'CLOSED'], 'saved', 'server'])
  expect(await ann.closed).toEqual([1001, 'The server ends'])
  expect(ann.messages).toEqual(['score'])
  expect(attached.client.status.connection).toBe('closed')
  expect(shutdowns(sidecar)).toBe(1)
})

test.concurrent('a server that is deleted from outside ends too, with a shutdown at the end', async ({ world }) => {
  const sidecar = await world.sidecarWithSeats()
  const server = await world.webSocketServer()
  const reasons: string[] = []
  const attached = world.attach(sidecar, server, { onEnding: ({ reason }) => void reasons.push(reason) })
  await until(() => stateOf(sidecar), 'Ready')
  sidecar.sidecar.control({ type: 'delete' })
  await attached.ended
  expect(reasons).toEqual(['deleted'])
  expect(shutdowns(sidecar)).toBe(1)
  expect(server.address()).toBeNull()
})

test.concurrent('a client that was given stays open', async ({ world }) => {
  const sidecar = await world.sidecarWithSeats()
  const client = createClient({ baseUrl: sidecar.url })
  world.onEnd(() => client.close())
  const attached = world.attach(sidecar, await world.webSocketServer(), { client })
  expect(attached.client).toBe(client)
  await until(() => stateOf(sidecar), 'Ready')
  await client.shutdown()
  await attached.ended
  expect(client.status.connection).toBe('connected')
})

test.concurrent('a client that is closed in the middle of the end holds nothing up', async ({ world }) => {
  const sidecar = await world.sidecarWithSeats()
  const client = createClient({ baseUrl: sidecar.url })
  const errors: unknown[] = []
  const attached = world.attach(sidecar, await world.webSocketServer(), {
    client,
    onError: (error) => errors.push(error),
    onEnding() {
      client.close()
      return new Promise(() => {})
    },
  })
  await until(() => stateOf(sidecar), 'Ready')
  sidecar.sidecar.control({ type: 'delete' })
  await attached.ended
})

test.concurrent('an onEnding that throws is told, and the end goes on', async ({ world }) => {
  const sidecar = await world.sidecarWithSeats()
  const errors: unknown[] = []
  const [one, other] = [await world.webSocketServer(), await listening(world.httpServer())]
  const ends = [one, other].map((server) =>
    world.attach(sidecar, server, {
      onError(error) {
        errors.push(error.cause)
        throw new Error('the log is full')
      },
      onEnding() {
        throw new TypeError('a bug')
      },
    }),
  )
  await until(() => stateOf(sidecar), 'Ready')
  await ends[0]!.client.shutdown()
  await Promise.all(ends.map(({ ended }) => ended))
  expect(errors).toEqual([new TypeError('a bug'), new TypeError('a bug')])
})

test.concurrent('players are told without client tracking, too', async ({ world }) => {
  const sidecar = await world.sidecarWithSeats()
  const server = await world.webSocketServer({ port: 0, clientTracking: false })
  const attached = world.attach(sidecar, server)
  server.on('connection', (socket: WebSocket) => socket.on('error', () => {}))
  const ann = world.visit(server, '/?player=ann')
  await ann.opened
  await attached.client.shutdown()
  expect(await ann.closed).toEqual([1006, ''])
  await attached.ended
})
