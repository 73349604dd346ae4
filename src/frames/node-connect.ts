import type { ByteStream, Connect } from './index.js'

import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'

/** Milliseconds that a peer has, after the stream was closed, to read the rest and to end its side. */
const CLOSING_TIME = 1000

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
    socket.end()
  }

  return {
    // Always resolves: `onClose` reports why a write failed.
    write: (bytes) => new Promise<void>((resolve) => socket.write(bytes, () => resolve())),
    close,
    onData: (listener) => socket.on('data', listener),
    onClose: (listener) => {
      // With `close` alone, a peer that has ended its side and reads nothing would be noticed only after the last write.
      socket.on('end', () => listener(failure))
      socket.on('close', () => listener(failure))
    },
  }
}
