import { once } from 'node:events'
import { expect } from 'vitest'
import type { EndingEvent } from '../../src/index.js'
import { callsOf, dialRaw, listening, stateOf, test, until, urlOf } from './socket-servers.js'

/** A client whose deadline comes soon, as if the process were told to stop. */
const hurried = ({ url }: { url: string }, timeout = 600) => ({ baseUrl: url, processSignals: { timeout } })

test.concurrent(
  'the shutdown keeps its deadline beside an onEnding that never ends and a player who never answers',
  async ({ world }) => {
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
  },
)

test.concurrent('the shutdown cuts open requests and connections at its deadline', async ({ world }) => {
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

/** Opens a WebSocket, and then reads no frame. */
async function silentPlayer(server: Parameters<typeof dialRaw>[0]): Promise<ReturnType<typeof dialRaw>> {
  const socket = dialRaw(server, 'ann')
  await once(socket, 'data')
  return socket
}
