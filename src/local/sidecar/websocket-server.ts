import { STATUS_CODES, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { answerRaw } from '../http/refusal.js'

/** Largest message of a client in bytes. Messages are ignored. */
const MAX_INCOMING = 16 * 1024

/** A request for a WebSocket, whose handshake isn't done yet. */
export interface Upgrade {
  readonly message: IncomingMessage
  readonly socket: Socket
  readonly head: Buffer
}

let server: Promise<WebSocketServer> | undefined

/**
 * Completes a handshake as the real sidecar does: without extensions, and without echoing a subprotocol. Answers a malformed
 * one, and then resolves with undefined. Loads `ws` with the first handshake, because loading takes most of the time of a
 * start.
 */
export async function acceptWebSocket({ message, socket, head }: Upgrade): Promise<WebSocket | undefined> {
  server ??= load()
  const loaded = await server
  if (socket.destroyed) return undefined
  return new Promise((resolve) => {
    socket.once('close', () => resolve(undefined))
    loaded.handleUpgrade(message, socket, head, (accepted) => {
      accepted.on('error', () => accepted.terminate())
      resolve(accepted)
    })
  })
}

async function load(): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws')
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_INCOMING,
    handleProtocols: () => false,
  })
  server.on('wsClientError', (_error: Error, socket: Duplex, message: IncomingMessage) => {
    const status = message.method === 'GET' ? 400 : 405
    const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Sec-WebSocket-Version': '13' }
    answerRaw(socket, status, `${STATUS_CODES[status]}\n`, headers)
  })
  return server
}

/** Sends a frame of text, and resolves when it has left for the network or can't leave any more. */
export const sendFrame = (socket: WebSocket, text: string | Buffer): Promise<void> =>
  new Promise((resolve) => socket.send(text, { binary: false }, () => resolve()))

/** Ends a connection without a close frame once everything was sent: clients see the close code 1006. */
export function endAbruptly(socket: WebSocket, raw: Duplex): void {
  raw.end()
  setTimeout(() => socket.terminate(), 1_000).unref()
}
