/** Sidecars whose side of a watch a test holds in its hand. */
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { startFakeSidecar, startRawSidecar } from './support.js'

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
