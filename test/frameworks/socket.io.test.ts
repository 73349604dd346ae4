import { once, type EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import http from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { describe, expect } from 'vitest'
import { attachServer, type AttachSocketIoOptions, type SocketIoServerLike } from '../../src/players/socket.io.js'
import type { LocalSidecar } from '../../src/node.js'
import { listening, patient, seatsIn, stateOf, test as base, until, type World } from '../adapters/socket-servers.js'
import { calls } from '../support/with-sidecar.js'

/** The folder of packages that aren't dependencies of this one. */
const fileIn = (path: string): URL => new URL('./socket.io/' + path, import.meta.url)

/** The parts of Socket.IO that are used here; its packages may be missing when types are checked. */
interface Io extends SocketIoServerLike {
  readonly httpServer: http.Server
  listen(port: number): Io
  on(event: 'connection', listener: (socket: ServerSocket) => void): void
  use(middleware: (socket: ServerSocket, next: (error?: Error) => void) => void): void
  eventNames(): string[]
  listeners(event: string): unknown[]
  readonly engine: { readonly clientsCount: number; on(event: 'connection', listener: () => void): void }
}

interface ServerSocket {
  readonly id: string
  readonly recovered: boolean
  readonly handshake: { readonly auth: Record<string, string> }
  readonly conn: { close(): void }
  emit(event: string, ...values: unknown[]): void
  on(event: string, listener: (...values: unknown[]) => void): void
}

interface Player {
  readonly id: string
  readonly connected: boolean
  readonly recovered: boolean
  readonly io: { readonly engine: { close(): void } }
  on(event: string, listener: (...values: never[]) => void): void
  once(event: string, listener: (...values: never[]) => void): void
  emit(event: string, ...values: unknown[]): void
  connect(): void
  disconnect(): void
}

/** Extends the world of socket servers with servers and players of Socket.IO. */
interface IoWorld extends Pick<World, 'sidecarWithSeats'> {
  server(...given: object[]): Io
  /** A sidecar with this many seats, and a server that listens. */
  open(capacity?: number, options?: object): Promise<{ sidecar: LocalSidecar; io: Io }>
  attach(sidecar: LocalSidecar, io: Io, options?: AttachSocketIoOptions): ReturnType<typeof attachServer>
  join(io: Io, auth?: object, options?: object): Player
}

const test = base.extend<{ stage: IoWorld }>({
  stage: async ({ world: { onEnd, sidecarWithSeats } }, use) => {
    const load = createRequire(fileIn('package.json'))
    const { Server } = load('socket.io') as { Server: new (...given: unknown[]) => Io }
    const { io: connect } = load('socket.io-client') as { io: (url: string, options: object) => Player }
    const server = (...given: object[]): Io => {
      const io = new Server(...given)
      onEnd(() => void io.close(() => {}))
      return io
    }
    await use({
      sidecarWithSeats,
      server,
      open: async (capacity, options = {}) => ({
        sidecar: await sidecarWithSeats(capacity),
        io: server(await listening(http.createServer()), options),
      }),
      attach(sidecar, io, options = {}) {
        const attached = attachServer(io, {
          client: { baseUrl: sidecar.url, processSignals: false, scheduler: patient },
          ...options,
        })
        onEnd(() => attached.close())
        return attached
      },
      join(io, auth = {}, { namespace = '', ...options }: { namespace?: string } = {}) {
        const { port } = io.httpServer.address() as AddressInfo
        const settings = { forceNew: true, reconnectionDelay: 50, auth, ...options }
        const player = connect(`http://127.0.0.1:${port}${namespace}`, settings)
        onEnd(() => player.disconnect())
        return player
      },
    })
  },
})

const told = <T>(from: Player, event: string): Promise<T> =>
  new Promise((resolve) => from.once(event, (value: T) => resolve(value)))

describe.concurrent('attachServer with the real Socket.IO', () => {
  const play = test.skipIf(!existsSync(fileIn('node_modules/socket.io/package.json')))

  play('is ready once, when io.listen() is called later', async ({ stage }) => {
    const sidecar = await stage.sidecarWithSeats()
    const io = stage.server()
    const { client } = stage.attach(sidecar, io)
    await client.connect()
    expect(calls(sidecar)).not.toContain('ready')
    io.listen(0)
    await until(() => stateOf(sidecar), 'Ready')
    const ann = stage.join(io, { player: 'ann' })
    await told(ann, 'connect')
    expect(calls(sidecar).filter((one) => one === 'ready')).toHaveLength(1)
  })

  play('seats each socket by its auth, its query or its own id, and frees the seat', async ({ stage }) => {
    const { sidecar, io } = await stage.open()
    const attached = stage.attach(sidecar, io)
    io.on('connection', (socket) => socket.emit('hello', attached.idOf(socket)))
    const ann = stage.join(io, { player: 'ann' })
    expect(await told(ann, 'hello')).toBe('ann')
    const ben = stage.join(io, {}, { query: { player: 'ben' }, transports: ['polling'] })
    expect(await told(ben, 'hello')).toBe('ben')
    const other = stage.join(io, {}, { transports: ['websocket'] })
    expect(await told(other, 'hello')).toBe(other.id)
    expect(seatsIn(sidecar)).toEqual(['ann', 'ben', other.id])
    ann.disconnect()
    other.io.engine.close()
    await until(() => seatsIn(sidecar), expect.not.arrayContaining(['ann']))
    await until(() => seatsIn(sidecar).length, 2)
  })

  play('refuses a player without a seat before the connection opens, with the reason', async ({ stage }) => {
    const { sidecar, io } = await stage.open(1)
    let connections = 0
    io.on('connection', () => connections++)
    stage.attach(sidecar, io, { idOf: ({ handshake }) => handshake.auth['player'] as string })
    await told(stage.join(io, { player: 'ann' }), 'connect')
    const ben = await told<Error & { data: object }>(stage.join(io, { player: 'ben' }), 'connect_error')
    expect(ben.data).toEqual({ code: 'OUT_OF_RANGE' })
    expect(ben.message).toBe('Every seat is taken or promised')
    const nobody = await told<Error & { data: object }>(stage.join(io), 'connect_error')
    expect(nobody.data).toEqual({ code: 'INVALID_ARGUMENT' })
    expect(connections).toBe(1)
  })

  for (const point of ['the middleware of the game', 'idOf'])
    play(`a player who leaves during ${point} keeps no seat`, async ({ stage }) => {
      const { sidecar, io } = await stage.open(1)
      let players = 0
      let tellPassed!: () => void
      const passed = new Promise<void>((resolve) => (tellPassed = resolve))
      const wait = async ({ conn }: { conn: object }): Promise<void> => {
        if (players++) return
        const gone = once(conn as EventEmitter, 'close')
        ann.io.engine.close()
        await gone
        setImmediate(tellPassed)
      }
      if (point === 'idOf') {
        stage.attach(sidecar, io, { idOf: (socket) => wait(socket).then(() => socket.id) })
      } else {
        io.use((socket, next) => void wait(socket).then(() => next()))
        stage.attach(sidecar, io)
      }
      const ann = stage.join(io, { player: 'ann' }, { transports: ['websocket'], reconnection: false })
      await passed
      const ben = stage.join(io, { player: 'ben' })
      await Promise.race([
        told(ben, 'connect'),
        told(ben, 'connect_error').then((error) => Promise.reject(error as Error)),
      ])
    })

  play('takes no seat for a socket that a middleware of the game refuses, added before or after', async ({ stage }) => {
    const { sidecar, io } = await stage.open()
    const refuse =
      (name: string) =>
      ({ handshake }: ServerSocket, next: (error?: Error) => void): void =>
        next(handshake.auth['player'] === name ? new Error(`no ${name}`) : undefined)
    io.use(refuse('ann'))
    stage.attach(sidecar, io)
    io.use(refuse('ben'))
    for (const player of ['ann', 'ben'])
      expect(await told<Error>(stage.join(io, { player }), 'connect_error')).toMatchObject({ message: `no ${player}` })
    await told(stage.join(io, { player: 'cem' }), 'connect')
    expect(seatsIn(sidecar)).toEqual(['cem'])
    expect(calls(sidecar).filter((one) => one === 'addListValue')).toHaveLength(1)
  })

  play('seats a connection whose state was recovered, which skips the middleware', async ({ stage }) => {
    const { sidecar, io } = await stage.open(1, { connectionStateRecovery: {} })
    const { players } = stage.attach(sidecar, io)
    const recovered: boolean[] = []
    io.on('connection', (socket) => {
      recovered.push(socket.recovered)
      // The client needs the offset of a message for its recovery.
      socket.emit('hello')
    })
    const ann = stage.join(io, { player: 'ann' }, { transports: ['websocket'] })
    await told(ann, 'hello')
    ann.io.engine.close()
    await told(ann, 'connect')
    await until(() => [recovered, players!.ids], [[false, true], ['ann']])
  })

  play(
    'on shutdown refuses new players, awaits onEnding, says goodbye, closes the server, then the client',
    async ({ stage }) => {
      const { sidecar, io } = await stage.open()
      const steps: unknown[] = []
      const attached = stage.attach(sidecar, io, {
        async onEnding({ reason }) {
          steps.push(reason)
          const late = await told<{ data: object }>(stage.join(io, { player: 'ben' }), 'connect_error')
          steps.push(late.data)
        },
      })
      await until(() => stateOf(sidecar), 'Ready')
      const players = [
        stage.join(io, { player: 'ann' }, { transports: ['polling'] }),
        stage.join(io, { player: 'cem' }, { transports: ['websocket'] }),
      ]
      await Promise.all(players.map((player) => told(player, 'connect')))
      const goodbyes = players.map((player) => told(player, 'disconnect'))
      sidecar.sidecar.control({ type: 'delete' })
      expect(await Promise.all(goodbyes)).toEqual(['io server disconnect', 'io server disconnect'])
      await attached.ended
      expect(steps).toEqual(['deleted', { code: 'CLOSED' }])
      expect(io.httpServer.listening).toBe(false)
      expect(attached.client.status.connection).toBe('closed')
      expect(calls(sidecar).at(-1)).toBe('shutdown')
    },
  )

  play('counts the players of another namespace on request', async ({ stage }) => {
    const { sidecar, io } = await stage.open()
    const game = io.of('/game') as unknown as Io
    game.on('connection', (socket) => socket.emit('hello'))
    stage.attach(sidecar, io, { namespace: '/game' })
    await told(stage.join(io, { player: 'lobby' }), 'connect')
    await told(stage.join(io, { player: 'ann' }, { namespace: '/game' }), 'hello')
    expect(seatsIn(sidecar)).toEqual(['ann'])
  })

  play('close() restores the server, which admits everybody again', async ({ stage }) => {
    const sidecar = await stage.sidecarWithSeats(1)
    const io = stage.server()
    const listeners = (server: Io): unknown[] => server.eventNames().map((name) => [name, server.listeners(name)])
    const [before, keys] = [[io, io.of('/') as unknown as Io].map(listeners), Object.keys(io)]
    const attached = stage.attach(sidecar, io)
    attached.close()
    expect([io, io.of('/') as unknown as Io].map(listeners)).toEqual(before)
    expect(Object.keys(io)).toEqual(keys)
    io.listen(0)
    await Promise.all(['ann', 'ben'].map((player) => told(stage.join(io, { player }), 'connect')))
    expect(seatsIn(sidecar)).toEqual([])
    expect(calls(sidecar)).not.toContain('ready')
  })
})
