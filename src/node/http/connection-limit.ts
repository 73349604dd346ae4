import type { IncomingMessage } from 'node:http'
import type { Server, Socket } from 'node:net'

/** Time for which a new connection is spared beyond the limit, since many watchers may arrive at once. */
const GRACE_MS = 1_000

export interface ConnectionLimit {
  /** Stops counting a connection that now belongs to a watcher, as long as there is room for watchers. */
  exempt(socket: Socket): void
}

/**
 * Limits the connections that aren't watchers. Beyond the limit, those that have asked for nothing for the longest time
 * are ended, so clients that open connections and stay silent can't keep others out. All connections together are never
 * more than `total`, and watchers never take the places of the others.
 */
export function limitConnections(server: Server, limit: number, total: number, graceMs = GRACE_MS): ConnectionLimit {
  /** In the order of their last use. */
  const counted = new Map<string, { readonly socket: Socket; readonly since: number }>()
  const watchers = new Set<string>()

  server.on('connection', (socket: Socket) => {
    const now = performance.now()
    const ends = endsOf(socket)
    counted.set(ends, { socket, since: now })
    socket.once('close', () => {
      counted.delete(ends)
      watchers.delete(ends)
    })
    for (const [oldest, { socket: other, since }] of counted) {
      const isFull = counted.size + watchers.size > total
      const isTooMany = counted.size > limit && now - since >= graceMs
      if (other === socket || !(isFull || isTooMany)) return
      counted.delete(oldest)
      other.destroy()
    }
  })
  server.on('request', ({ socket }: IncomingMessage) => {
    const ends = endsOf(socket)
    const entry = counted.get(ends)
    if (entry === undefined) return
    counted.delete(ends)
    counted.set(ends, { socket: entry.socket, since: performance.now() })
  })
  return {
    exempt(socket) {
      const ends = endsOf(socket)
      if (watchers.size < total - limit && counted.delete(ends)) watchers.add(ends)
    },
  }
}

/** The two ends of a connection, which are the same for a TLS socket and for the plain one below it. */
const endsOf = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): string =>
  `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`
