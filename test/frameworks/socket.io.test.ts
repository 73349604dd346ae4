import { once, type EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import http from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { describe, expect, test as base, vi } from 'vitest'
import { attachServer, type AttachSocketIoOptions, type SocketIoServerLike } from '../../src/adapters/socket.io.js'
import { createLocalSidecar, type LocalSidecar } from '../../src/node/index.js'
import { calls } from '../support/with-sidecar.js'

/** The folder of each version, whose packages aren't dependencies of this one. */
const folders = { 4: './socket.io/', 3: './socket.io-3/' }
const fileIn = (version: Version, path: string): URL => new URL(folders[version] + path, import.meta.url)
type Version = keyof typeof folders

/** The parts of Socket.IO that are used here; its packages aren't there when types are checked. */
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

interface World {
  onEnd(undo: () => unknown): void
  sidecar(capacity?: number): Promise<LocalSidecar>
  server(...given: object[]): Io
  attach(sidecar: LocalSidecar, io: Io, options?: AttachSocketIoOptions): ReturnType<typeof attachServer>
  join(io: Io, auth?: object, options?: object): Player
}

const test = base.extend<{ version: Version; world: World }>({
  version: 4,
  world: async ({ version }, use) => {
    const undo: (() => unknown)[] = []
    const load = createRequire(fileIn(version, 'package.json'))
    const onEnd = (one: () => unknown): void => void undo.unshift(one)
    const { Server } = load('socket.io') as { Server: new (...given: unknown[]) => Io }
    const { io: connect } = load('socket.io-client') as { io: (url: string, options: object) => Player }
    await use({
      onEnd,
      async sidecar(capacity = 8) {
        const gameServer = { spec: { lists: { players: { capacity } } } }
        const sidecar = await createLocalSidecar({ port: 0, onWarning: () => {}, gameServer })
        onEnd(() => sidecar.close())
        return sidecar
      },
      server(...given) {
        const io = new Server(...given)
        onEnd(() => void io.close(() => {}))
        return io
      },
      attach(sidecar, io, options = {}) {
        const attached = attachServer(io, { client: { baseUrl: sidecar.url, processSignals: false }, ...options })
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
    for (const one of undo) await one()
  },
})

const until = (look: () => unknown, value: unknown): Promise<void> =>
  vi.waitFor(() => expect(look()).toEqual(value), { timeout: 20_000, interval: 5 })
const told = <T>(from: Player, event: string): Promise<T> =>
  new Promise((resolve) => from.once(event, (value: T) => resolve(value)))
const seatsIn = ({ sidecar }: LocalSidecar): readonly string[] =>
  sidecar.snapshot().gameServer.status.lists?.['players']?.values ?? []
const stateOf = ({ sidecar }: LocalSidecar): string => sidecar.snapshot().gameServer.status.state

const ofVersion = { 4: test, 3: test.extend({ version: 3 }) }

async function listening(server = http.createServer()): Promise<http.Server> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

describe.concurrent.each([4, 3] as const)('attachServer with the real Socket.IO %i', (version) => {
  const isInstalled = existsSync(fileIn(version, 'node_modules/socket.io/package.json'))
  const test = ofVersion[version]
  const play = test.skipIf(!isInstalled)

  play('is ready once, when io.listen() is called later', async ({ world }) => {
    const sidecar = await world.sidecar()
    const io = world.server()
    const { client } = world.attach(sidecar, io)
    await client.connect()
    expect(calls(sidecar)).not.toContain('ready')
    io.listen(0)
    await until(() => stateOf(sidecar), 'Ready')
    const ann = world.join(io, { player: 'ann' })
    await told(ann, 'connect')
    expect(calls(sidecar).filter((one) => one === 'ready')).toHaveLength(1)
  })

  play('seats each socket by its auth, its query or its own id, and frees the seat', async ({ world }) => {
    const sidecar = await world.sidecar()
    const io = world.server(await listening())
    const attached = world.attach(sidecar, io)
    io.on('connection', (socket) => socket.emit('hello', attached.idOf(socket)))
    const ann = world.join(io, { player: 'ann' })
    expect(await told(ann, 'hello')).toBe('ann')
    const ben = world.join(io, {}, { query: { player: 'ben' }, transports: ['polling'] })
    expect(await told(ben, 'hello')).toBe('ben')
    const other = world.join(io, {}, { transports: ['websocket'] })
    expect(await told(other, 'hello')).toBe(other.id)
    expect(seatsIn(sidecar)).toEqual(['ann', 'ben', other.id])
    ann.disconnect()
    other.io.engine.close()
    await until(() => seatsIn(sidecar), expect.not.arrayContaining(['ann']))
    await until(() => seatsIn(sidecar).length, 2)
  })

  play('tells who gets no seat why, before the connection is one', async ({ world }) => {
    const sidecar = await world.sidecar(1)
    const io = world.server(await listening())
    let connections = 0
    io.on('connection', () => connections++)
    world.attach(sidecar, io, { idOf: ({ handshake }) => handshake.auth['player'] as string })
    await told(world.join(io, { player: 'ann' }), 'connect')
    const ben = await told<Error & { data: object }>(world.join(io, { player: 'ben' }), 'connect_error')
    expect(ben.data).toEqual({ code: 'OUT_OF_RANGE' })
    expect(ben.message).toContain('Every seat is taken or promised')
    const nobody = await told<Error & { data: object }>(world.join(io), 'connect_error')
    expect(nobody.data).toEqual({ code: 'INVALID_ARGUMENT' })
    expect(connections).toBe(1)
  })

  play('hears nothing before the seat is there, and loses nothing', async ({ world }) => {
    const sidecar = await world.sidecar()
    sidecar.sidecar.control({ type: 'delayCalls', ms: 50, operations: ['addListValue'] })
    const io = world.server(await listening())
    const heard: unknown[] = []
    io.on('connection', (socket) => socket.on('move', (value) => heard.push(value)))
    const { players } = world.attach(sidecar, io)
    const ann = world.join(io, { player: 'ann' })
    ann.emit('move', 1)
    ann.once('connect', () => ann.emit('move', 2))
    // The client of Socket.IO 3 sends what it has kept after what `connect` sends.
    await until(() => heard, version === 3 ? [2, 1] : [1, 2])
    expect(players!.ids).toEqual(['ann'])
  })

  play('leaves no seat behind for a player who goes while it is on its way', async ({ world }) => {
    const sidecar = await world.sidecar()
    sidecar.sidecar.control({ type: 'delayCalls', ms: 60, operations: ['addListValue'] })
    const io = world.server(await listening())
    world.attach(sidecar, io)
    const ann = world.join(io, { player: 'ann' })
    await until(() => calls(sidecar).includes('addListValue'), true)
    ann.disconnect()
    await until(() => calls(sidecar).includes('removeListValue'), true)
    await until(() => seatsIn(sidecar), [])
  })

  for (const point of ['the middleware of the game', 'idOf'])
    play(`a player who leaves during ${point} keeps no seat`, async ({ world }) => {
      const sidecar = await world.sidecar(1)
      const io = world.server(await listening())
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
        world.attach(sidecar, io, { idOf: (socket) => wait(socket).then(() => socket.id) })
      } else {
        io.use((socket, next) => void wait(socket).then(() => next()))
        world.attach(sidecar, io)
      }
      const ann = world.join(io, { player: 'ann' }, { transports: ['websocket'], reconnection: false })
      await passed
      const ben = world.join(io, { player: 'ben' })
      await Promise.race([
        told(ben, 'connect'),
        told(ben, 'connect_error').then((error) => Promise.reject(error as Error)),
      ])
    })

  play('seats nobody whom a middleware of the game refuses, added before or after', async ({ world }) => {
    const sidecar = await world.sidecar()
    const io = world.server(await listening())
    const refuse =
      (name: string) =>
      ({ handshake }: ServerSocket, next: (error?: Error) => void): void =>
        next(handshake.auth['player'] === name ? new Error(`no ${name}`) : undefined)
    io.use(refuse('ann'))
    world.attach(sidecar, io)
    io.use(refuse('ben'))
    for (const player of ['ann', 'ben'])
      expect(await told<Error>(world.join(io, { player }), 'connect_error')).toMatchObject({ message: `no ${player}` })
    await told(world.join(io, { player: 'cem' }), 'connect')
    expect(seatsIn(sidecar)).toEqual(['cem'])
    expect(calls(sidecar).filter((one) => one === 'addListValue')).toHaveLength(1)
  })

  // Socket.IO 3 has no such recovery.
  if (version === 4)
    play('seats a connection whose state was recovered, which skips the middleware', async ({ world }) => {
      const sidecar = await world.sidecar(1)
      const io = world.server(await listening(), { connectionStateRecovery: {} })
      const { players } = world.attach(sidecar, io)
      const recovered: boolean[] = []
      io.on('connection', (socket) => {
        recovered.push(socket.recovered)
        // What the client needs to be recovered is the offset of a message.
        socket.emit('hello')
      })
      const ann = world.join(io, { player: 'ann' }, { transports: ['websocket'] })
      await told(ann, 'hello')
      ann.io.engine.close()
      await told(ann, 'connect')
      await until(() => [recovered, players!.ids], [[false, true], ['ann']])
    })

  play('ends in order: nobody new, onEnding, goodbye, the server, the client', async ({ world }) => {
    const sidecar = await world.sidecar()
    const io = world.server(await listening())
    const steps: unknown[] = []
    const attached = world.attach(sidecar, io, {
      async onEnding({ reason }) {
        steps.push(reason)
        const late = await told<{ data: object }>(world.join(io, { player: 'ben' }), 'connect_error')
        steps.push(late.data)
      },
    })
    await until(() => stateOf(sidecar), 'Ready')
    const players = [
      world.join(io, { player: 'ann' }, { transports: ['polling'] }),
      world.join(io, { player: 'cem' }, { transports: ['websocket'] }),
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
  })

  play('cuts what stays open when the time is over', async ({ world }) => {
    const sidecar = await world.sidecar()
    const web = await listening(http.createServer(() => {}))
    const io = world.server(web)
    const client = { baseUrl: sidecar.url, processSignals: { timeout: 500 } }
    const attached = world.attach(sidecar, io, { client })
    await until(() => stateOf(sidecar), 'Ready')
    const { port } = web.address() as AddressInfo
    const asked = fetch(`http://127.0.0.1:${port}/`).then(String, () => 'cut')
    await once(web, 'request')
    sidecar.sidecar.control({ type: 'delete' })
    await attached.ended
    expect(await asked).toBe('cut')
  })

  play('counts in another namespace, if told so', async ({ world }) => {
    const sidecar = await world.sidecar()
    const io = world.server(await listening())
    const game = io.of('/game') as unknown as Io
    game.on('connection', (socket) => socket.emit('hello'))
    world.attach(sidecar, io, { namespace: '/game' })
    await told(world.join(io, { player: 'lobby' }), 'connect')
    await told(world.join(io, { player: 'ann' }, { namespace: '/game' }), 'hello')
    expect(seatsIn(sidecar)).toEqual(['ann'])
  })

  play('close() leaves the server as it was, and open to everybody', async ({ world }) => {
    const sidecar = await world.sidecar(1)
    const io = world.server()
    const listeners = (server: Io): unknown[] => server.eventNames().map((name) => [name, server.listeners(name)])
    const [before, keys] = [[io, io.of('/') as unknown as Io].map(listeners), Object.keys(io)]
    const attached = world.attach(sidecar, io)
    attached.close()
    expect([io, io.of('/') as unknown as Io].map(listeners)).toEqual(before)
    expect(Object.keys(io)).toEqual(keys)
    io.listen(0)
    await Promise.all(['ann', 'ben'].map((player) => told(world.join(io, { player }), 'connect')))
    expect(seatsIn(sidecar)).toEqual([])
    expect(calls(sidecar)).not.toContain('ready')
  })
})
