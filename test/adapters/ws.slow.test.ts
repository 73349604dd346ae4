import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'vitest'
import type { EndingEvent } from '../../src/index.js'
import { collectUncaught } from '../support/uncaught.js'
import { calls, untilLogged } from '../support/with-sidecar.js'
import { callsOf, listening, seatsIn, stateOf, test, until, urlOf } from './socket-servers.js'

/** A client whose deadline comes soon, as if the process were told to stop. */
const hurried = ({ url }: { url: string }, timeout = 600) => ({ baseUrl: url, processSignals: { timeout } })

test.concurrent('an onEnding that never ends and a player who never answers are cut off in time', async ({ world }) => {
  const sidecar = await world.sidecarWithSeats()
  const server = await world.webSocketServer()
  const errors: unknown[] = []
  let event: EndingEvent | undefined
  const attached = world.attach(sidecar, server, {
    client: hurried(sidecar),
    onError: (error) => errors.push(error),
    onEnding(given) {
      event = given
      return new Promise(() => {})
    },
  })
  const socket = await silentPlayer(server)
  await until(() => stateOf(sidecar), 'Ready')
  sidecar.sidecar.control({ type: 'delete' })
  await Promise.all([once(socket, 'close'), attached.ended])
  expect(errors).toEqual([expect.objectContaining({ code: 'TIMEOUT' })])
  expect(Date.now()).toBeLessThan(event!.deadline)
  expect(callsOf(sidecar, 'shutdown')).toBe(1)
})

test.concurrent('requests and connections that stay open are cut off in time', async ({ world }) => {
  const sidecar = await world.sidecarWithSeats()
  const web = world.httpServer()
  web.removeAllListeners('request')
  const requested = once(web, 'request')
  web.on('upgrade', (_, socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'))
  await listening(web)
  const attached = world.attach(sidecar, web, { client: hurried(sidecar) })
  const asked = fetch(urlOf(web).replace('ws', 'http')).then(
    () => 'answered',
    () => 'cut',
  )
  const player = await silentPlayer(web)
  await requested
  sidecar.sidecar.control({ type: 'delete' })
  await Promise.all([once(player, 'close'), attached.ended])
  expect(await asked).toBe('cut')
  expect(web.listening).toBe(false)
})

test.concurrent('while the sidecar is away players wait, and afterwards list and game agree', async ({ world }) => {
  const sidecar = await world.sidecarWithSeats()
  const server = await world.webSocketServer()
  const { client, players } = world.attach(sidecar, server)
  await client.waitFor('Ready')
  const ann = world.visit(server, '/?player=ann')
  await ann.opened
  sidecar.sidecar.control({ type: 'restart', downMs: 300 })
  ann.socket.terminate()
  await world.visit(server, '/?player=ben').opened
  await until(() => seatsIn(sidecar), ['ben'])
  expect(players!.ids).toEqual(['ben'])
})

test('a connection that is reset while it waits for its seat ends neither the process nor in a seat', async ({
  world,
}) => {
  const uncaught = collectUncaught()
  const sidecar = await world.sidecarWithSeats()
  sidecar.sidecar.control({ type: 'delayCalls', ms: 60, operations: ['addListValue'] })
  const web = await listening(world.httpServer())
  web.on('upgrade', (_, socket) => socket.destroy())
  world.attach(sidecar, web)
  const socket = connect(Number(new URL(urlOf(web)).port), '127.0.0.1')
  socket.write('GET /?player=ann HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  await untilLogged(sidecar, () => calls(sidecar).includes('addListValue'))
  socket.resetAndDestroy()
  await untilLogged(sidecar, () => calls(sidecar).includes('removeListValue'))
  await until(() => seatsIn(sidecar), [])
  expect(uncaught).toEqual([])
})

/** Opens a WebSocket, and then reads no frame. */
async function silentPlayer(server: Parameters<typeof urlOf>[0]): Promise<ReturnType<typeof connect>> {
  const socket = connect(Number(new URL(urlOf(server)).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    'GET /?player=ann HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  await once(socket, 'data')
  return socket
}
