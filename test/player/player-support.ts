import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer, type ServerOptions } from 'ws'

export interface Server {
  readonly url: string
  /** What each connection has offered. */
  readonly offers: (string | undefined)[]
  readonly sockets: WebSocket[]
}

/** A WebSocket server that isn't this package's. It answers each message with the same. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', ...options })
  await once(server, 'listening')
  const offers: (string | undefined)[] = []
  const sockets: WebSocket[] = []
  server.on('connection', (socket) => {
    sockets.push(socket)
    socket.on('message', (data, isBinary) => socket.send(data as Buffer, { binary: isBinary }))
  })
  server.on('headers', (_, { headers }) => offers.push(headers['sec-websocket-protocol']))
  onTestFinished(() => {
    for (const socket of sockets) socket.terminate()
    server.close()
  })
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, offers, sockets }
}
