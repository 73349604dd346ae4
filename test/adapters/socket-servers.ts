import { once } from 'node:events'
import http from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { expect, test as base } from 'vitest'
import { WebSocket, WebSocketServer, type ServerOptions } from 'ws'
import { attachServer, type AttachedServer, type AttachWsOptions } from '../../src/players/ws.js'
import { createLocalSidecar, type LocalSidecar } from '../../src/node.js'
import { until as untilHolds } from '../support/until.js'
import { calls } from '../support/with-sidecar.js'

type AttachTo = Parameters<typeof attachServer>[0]

/** A player's side of the connection. */
export interface Visitor {
  readonly socket: WebSocket
  readonly messages: string[]
  readonly opened: Promise<void>
  /** The close code and reason, or the status and text of a refusal. */
  readonly closed: Promise<[number, string]>
}

interface Addressed {
  address(): AddressInfo | string | null
}

/** Servers, sidecars and players of one test, closed at its end. Tests run side by side, so each has its own. */
export interface World {
  onEnd(undo: () => unknown): void
  /** A sidecar with a list of players. */
  sidecarWithSeats(capacity?: number): Promise<LocalSidecar>
  webSocketServer(options?: ServerOptions): Promise<WebSocketServer>
  httpServer(): http.Server
  /** Options with which the adapter creates its client, without signal handling in the process of the tests. */
  attach(sidecar: { url: string }, server: AttachTo, options?: AttachWsOptions): ReturnType<typeof attachServer>
  /** A sidecar, and a WebSocketServer that is attached to it. */
  serve(options?: AttachWsOptions, capacity?: number): Promise<Served>
  visit(server: Addressed, path?: string): Visitor
}

/** On a busy machine, calls and joins take longer than the time that a player would wait. */
export const patient = {
  setTimeout,
  setLimit: (run: () => void, ms: number) => setTimeout(run, ms < 5000 ? ms : Math.min(ms * 20, 2 ** 31 - 1)),
  clearTimeout,
}

type Served = AttachedServer & { sidecar: LocalSidecar; server: WebSocketServer; attached: AttachedServer }

function createWorld(undo: (() => unknown)[]): World {
  const onEnd = (one: () => unknown): void => void undo.unshift(one)
  const world: World = {
    onEnd,
    async sidecarWithSeats(capacity = 8) {
      // Beats that a busy machine delays must not end the GameServer.
      const gameServer = { spec: { health: { disabled: true }, lists: { players: { capacity } } } }
      const sidecar = await createLocalSidecar({ port: 0, onWarning: () => {}, gameServer })
      onEnd(() => sidecar.close())
      return sidecar
    },
    async webSocketServer(options = { port: 0 }) {
      const server = new WebSocketServer({ host: '127.0.0.1', ...options })
      onEnd(() => {
        for (const client of options.clientTracking === false ? [] : server.clients) client.terminate()
        server.close()
      })
      if (options.port === 0) await once(server, 'listening')
      return server
    },
    httpServer() {
      const server = http.createServer((_, response) => response.end('page'))
      onEnd(() => {
        server.close()
        server.closeAllConnections()
      })
      return server
    },
    attach({ url }, server, options = {}) {
      const client = { baseUrl: url, processSignals: false, scheduler: patient }
      const attached = attachServer(server, { client, ...options })
      onEnd(() => attached.close())
      return attached
    },
    async serve(options, capacity) {
      const sidecar = await world.sidecarWithSeats(capacity)
      const server = await world.webSocketServer()
      const attached = world.attach(sidecar, server, options)
      return { ...attached, attached, sidecar, server }
    },
    visit(server, path = '/') {
      const socket = new WebSocket(urlOf(server, path))
      onEnd(() => socket.terminate())
      const messages: string[] = []
      socket.on('message', (data) => messages.push(textOf(data)))
      const opened = new Promise<void>((resolve) => socket.on('open', resolve))
      const closed = new Promise<[number, string]>((resolve) => {
        socket.on('close', (code, reason) => resolve([code, textOf(reason)]))
        socket.on('unexpected-response', (_, response: http.IncomingMessage) => {
          let text = ''
          response.on('data', (piece) => (text += String(piece)))
          response.on('end', () => resolve([response.statusCode!, text]))
        })
        socket.on('error', () => {})
      })
      return { socket, messages, opened, closed }
    },
  }
  return world
}

export const test = base.extend<{ world: World }>({
  // eslint-disable-next-line no-empty-pattern -- the form that vitest wants
  world: async ({}, use) => {
    const undo: (() => unknown)[] = []
    await use(createWorld(undo))
    for (const one of undo) await one()
  },
})

export const textOf = (data: unknown): string => String(data)

export async function listening(server: http.Server): Promise<http.Server> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

export const urlOf = (server: Addressed, path = '/'): string =>
  `ws://127.0.0.1:${(server.address() as AddressInfo).port}${path}`

/** Sends an upgrade request over a raw connection; `more` goes out in the same segment. */
export function dialRaw(server: Addressed, id: string, more = Buffer.alloc(0)): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {})
  const head =
    `GET /?player=${id} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
  socket.write(Buffer.concat([Buffer.from(head), more]))
  return socket
}

export const seatsIn = ({ sidecar }: LocalSidecar): readonly string[] =>
  sidecar.snapshot().gameServer.status.lists?.['players']?.values ?? []

export const stateOf = ({ sidecar }: LocalSidecar): string => sidecar.snapshot().gameServer.status.state

/** How often an operation was called. */
export const callsOf = (sidecar: LocalSidecar, operation: string): number =>
  calls(sidecar).filter((one) => one === operation).length

/** Replaces `expect.poll`, which can't be used in concurrent tests. */
export const until = (look: () => unknown, value: unknown): Promise<void> =>
  untilHolds(() => expect(look()).toEqual(value))
