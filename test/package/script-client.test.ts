import vm from 'node:vm'
import { describe, expect, test } from 'vitest'
import type * as Api from '../../src/index.js'
import { read } from '../support/source.js'

interface Socket {
  onopen(event: object): void
  onmessage(event: { data: string }): void
  onclose(event: { code: number }): void
  close(): void
}

/** A client of the script whose watch is handed to the test. */
function connect(options?: Api.ClientOptions): { client: Api.SidecarClient; socket: Promise<Socket> } {
  let opened: (socket: Socket) => void
  const socket = new Promise<Socket>((resolve) => {
    opened = resolve
  })
  function WebSocket(this: Socket): void {
    this.close = () => {}
    opened(this)
  }
  const fetch = (): Promise<Response> => Promise.resolve(Response.json(gameServer(1, 'Scheduled')))
  const context = vm.createContext({ setTimeout, clearTimeout, fetch, WebSocket })
  vm.runInContext(read('dist/gameserver-sidecar.umd.js'), context)
  const api = context['GameServerSidecar'] as typeof Api
  return { client: api.createClient({ baseUrl: 'http://127.0.0.1:1', watch: 'websocket', ...options }), socket }
}

const gameServer = (version: number, state: string) => ({
  object_meta: { name: 'a', resource_version: String(version) },
  spec: { health: {} },
  status: { state },
})

const tell = (socket: Socket, version: number, state: string): void =>
  socket.onmessage({ data: JSON.stringify({ result: gameServer(version, state) }) })

describe('a client of the script', () => {
  test('shows in gameServer and status what each event has told', async () => {
    const { client, socket: dialled } = connect()
    expect(client.gameServer).toBeUndefined()
    expect(client.status).toMatchObject({ connection: 'idle', transport: undefined, lastBeat: undefined })

    client.on('state', () => {})
    const socket = await dialled
    socket.onopen({})
    tell(socket, 2, 'Ready')
    await client.waitFor('Ready')
    expect(client.gameServer).toMatchObject({ object_meta: { resource_version: '2' }, status: { state: 'Ready' } })
    expect(client.status).toMatchObject({ connection: 'connected', transport: 'websocket' })

    tell(socket, 3, 'Allocated')
    await client.waitFor('Allocated')
    expect(client.gameServer).toMatchObject({ object_meta: { resource_version: '3' }, status: { state: 'Allocated' } })

    const lost = client.once('connection')
    socket.onclose({ code: 1006 })
    expect(await lost).toMatchObject({ state: 'reconnecting' })
    expect(client.status).toMatchObject({ connection: 'reconnecting', transport: undefined })
    expect(client.gameServer).toMatchObject({ status: { state: 'Allocated' } })

    client.close()
    expect(client.status.connection).toBe('closed')
  })

  test('shows in status what became of the beats', async () => {
    const { client } = connect({ autoHealth: true })
    expect(client.status).toMatchObject({ healthy: undefined, lastBeat: undefined })
    const { ok, at } = await client.once('health')
    expect(ok).toBe(true)
    expect(client.status).toMatchObject({ healthy: true, lastBeat: at })
    client.close()
  })
})
