import { once } from 'node:events'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { createGuard, type GuardOptions } from '../../src/local/http/request-guard.js'
import { createSidecarServer } from '../../src/local/sidecar/sidecar-server.js'
import type { Sidecar } from '../../src/platform/sidecar.js'
import { listenHere } from '../support/listen.js'
import { dial } from '../support/wire.js'

export const websocketHeaders = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
] as const

/** A socket that stays open until the test ends. */
export async function openSocket(port: number): Promise<Socket> {
  const { socket } = await dial(port)
  await once(socket, 'connect')
  return socket
}

/** Everything a WebSocket said, and how it ended. */
export interface Conversation {
  readonly socket: WebSocket
  readonly frames: string[]
  readonly opened: Promise<unknown>
  /** Resolves with the frame of that index. */
  frame(index: number): Promise<string>
  /** Resolves with the close code, or with the HTTP status of a refused handshake. */
  readonly ended: Promise<number>
}

export function converse(url: string, options: WebSocket.ClientOptions = {}): Conversation {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), options)
  onTestFinished(() => socket.terminate())
  const frames: string[] = []
  socket.on('message', (data, isBinary) => {
    frames.push(isBinary ? `binary ${String(data)}` : String(data))
    socket.emit('arrived')
  })
  const ended = new Promise<number>((resolve) => {
    socket.on('error', () => undefined)
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    socket.on('close', resolve)
  })
  const frame = async (index: number): Promise<string> => {
    while (frames[index] === undefined) await once(socket, 'arrived')
    return frames[index]
  }
  const opened = new Promise((resolve) => socket.once('open', resolve))
  return { socket, frames, opened, frame, ended }
}

export interface Served {
  readonly port: number
  readonly faults: unknown[]
}

/** Serves a partial fake sidecar: a test defines only the members that it uses. */
export async function serve(
  sidecar: Partial<Sidecar>,
  options: GuardOptions & { token?: string; lineLimit?: number } = {},
): Promise<Served> {
  const faults: unknown[] = []
  const server = createSidecarServer({
    target: { sidecar: sidecar as Sidecar, control: () => ({ ok: true }) },
    guard: createGuard(options),
    token: options.token,
    lineLimit: options.lineLimit ?? Infinity,
    onFault: (error) => faults.push(error),
  })
  return { port: await listenHere(server.server), faults }
}

/** Gives the same small answer to everything and remembers what it was asked. */
export function echoSidecar(): Partial<Sidecar> & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    handle: async ({ method, url, body }) => {
      asked.push(`${method} ${url} ${await new Response(body as BodyInit | null).text()}`.trim())
      return new Response('{}', { headers: { 'content-type': 'application/json', 'content-length': '2' } })
    },
  }
}
