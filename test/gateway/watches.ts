/** Sidecars whose side of a watch a test holds in its hand, and a page that reads one. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import { PREFIX, startFakeSidecar, startRawSidecar, type FakeSidecar } from './support.js'

export const WATCH = `${PREFIX}/watch/gameserver`

/** Both kinds of its watches are the test's. */
export async function startBothWatches(): Promise<
  FakeSidecar & { stream: Promise<ServerResponse>; socket: Promise<WebSocket> }
> {
  let onStream = (_reply: ServerResponse): void => undefined
  const stream = new Promise<ServerResponse>((resolve) => (onStream = resolve))
  const sidecar = await startFakeSidecar((message, reply) => {
    if (message.url === '/ready') reply.end('{}')
    else onStream(reply)
  })
  const sockets = new WebSocketServer({ server: sidecar.server })
  onTestFinished(() => sockets.close())
  const socket = once(sockets, 'connection').then(([opened]) => opened as WebSocket)
  return { ...sidecar, stream, socket }
}

/** A watch over HTTP, and all that it brings. */
export async function openStream(port: number, sidecar: { stream: Promise<ServerResponse> }) {
  const outgoing = httpRequest({ port, host: '127.0.0.1', path: WATCH, agent: false }).end()
  const upstream = await sidecar.stream
  upstream.write('{"result":1}\n')
  const [response] = await once(outgoing, 'response')
  response.setEncoding('utf8')
  const all = { text: '' }
  response.on('data', (text: string) => (all.text += text))
  const ended = new Promise<boolean>((resolve) => response.once('close', () => resolve(response.complete)))
  await once(response, 'data')
  return { upstream, all, ended, response }
}

/** A sidecar whose watches the test writes. */
export async function startWatchSidecar(): Promise<{ url: string; watch: () => Promise<ServerResponse> }> {
  const waiting: ServerResponse[] = []
  let wake = (): void => undefined
  const sidecar = await startFakeSidecar((_message, reply) => {
    waiting.push(reply)
    wake()
  })
  const watch = async (): Promise<ServerResponse> => {
    while (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve))
    return waiting.shift()!
  }
  return { url: sidecar.url, watch }
}

/** The head that accepts a handshake. */
export const switching = (head: string): string => {
  const key = /sec-websocket-key: (.*)\r\n/i.exec(head)?.[1] ?? ''
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  return (
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
    `Sec-WebSocket-Accept: ${accept}\r\nX-Own: 1\r\n\r\n`
  )
}

export const closed = (socket: Socket | ServerResponse): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()))

/** A sidecar that accepts every handshake and then does as told. */
export const startSocketSidecar = (onOpen: (socket: Socket, head: string) => void): Promise<string> =>
  startRawSidecar((socket) => {
    socket.once('data', (head) => {
      socket.write(switching(String(head)))
      onOpen(socket, String(head))
    })
  })
