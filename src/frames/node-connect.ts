import type { ByteStream, Connect } from './index.js'

import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'

/** Milliseconds that a peer has, after the stream was closed, to read the rest and to end its side. */
const CLOSING_TIME = 1000
/** Most bytes that Node gets at a time. */
const WINDOW = 1 << 19

/** Further options of TLS, such as trusted certificates or a client's own. */
export type TlsOptions = Omit<ConnectionOptions, 'host' | 'port' | 'path' | 'socket'>

/**
 * Opens streams for `createWebSocketClass` over Node's `net` and `tls`, in Node, Deno and Bun:
 * `createWebSocketClass(nodeConnect)`.
 *
 * A closed stream gives up its connection within a second, even if the peer never ends its side, never reads or never
 * stops sending.
 * @param tls for `wss:` only; `createWebSocketClass((target) => nodeConnect(target, { ca }))`
 */
export function nodeConnect({ host, port, secure }: Parameters<Connect>[0], tls: TlsOptions = {}): ByteStream {
  // Without noDelay a message may wait 40 ms for the acknowledgement of the one before.
  const socket: Socket = secure
    ? connectTls({ ALPNProtocols: ['http/1.1'], servername: isIP(host) === 0 ? host : '', ...tls, host, port })
    : connectTcp({ host, port, noDelay: true })
  if (secure) socket.setNoDelay(true)
  let failure: Error | undefined
  socket.on('error', (error) => {
    failure = error
  })

  /** Writes that Node doesn't have yet, each with the callback for when it is sent. */
  const waiting = new Map<Uint8Array, () => void>()

  const send = (bytes: Uint8Array, sent: () => void): void => {
    socket.write(bytes, () => {
      sent()
      if (waiting.size > 0) pump(WINDOW)
    })
  }

  // Node joins all waiting writes and calls back when all are sent, so a slow reader would look stuck.
  const pump = (limit: number): void => {
    if (socket.writableLength >= limit) return
    for (const [bytes, sent] of waiting) {
      waiting.delete(bytes)
      send(bytes, sent)
      if (socket.writableLength >= limit) return
    }
  }

  const close = (): void => {
    if (socket.destroyed) return
    if (socket.connecting) {
      socket.destroy()
      return
    }
    socket.removeAllListeners('data')
    // Read on, so that the peer can see our close frame: destroying a socket with unread bytes resets the connection.
    socket.resume()
    const timer = setTimeout(() => socket.destroy(), CLOSING_TIME)
    socket.on('close', () => clearTimeout(timer))
    pump(Infinity)
    socket.end()
  }

  return {
    // Always resolves: `onClose` reports why a write failed.
    write: (bytes) =>
      new Promise<void>((resolve) => {
        if (waiting.size === 0 && socket.writableLength < WINDOW) send(bytes, resolve)
        else waiting.set(bytes, resolve)
      }),
    close,
    onData: (listener) => socket.on('data', listener),
    onClose: (listener) => {
      // With `close` alone, a peer that has ended its side and reads nothing would be noticed only after the last write.
      socket.on('end', () => listener(failure))
      socket.on('close', () => listener(failure))
    },
  }
}
