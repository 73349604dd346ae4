import type { IncomingMessage } from 'node:http'
import type { Server, Socket } from 'node:net'

/** How long a new connection is left alone, whatever its number: many watchers may arrive at once. */
const GRACE_MS = 1_000

export interface ConnectionLimit {
  /** The connection now belongs to a watcher and no longer counts, as far as there is room for watchers. */
  exempt(socket: Socket): void
}

/**
 * Bounds the connections that aren't watchers. One more makes those go that have asked for nothing for the
 * longest time, so that clients which open connections and say nothing can't keep others out. All together
 * there are never more than `total`, and watchers never take the places of the others.
 */
export function limitConnections(server: Server, limit: number, total: number, graceMs = GRACE_MS): ConnectionLimit {
  /** The one that was used last comes last. */
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

/** What a TLS socket and the one below it have in common: both ends of the connection. */
const endsOf = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): string =>
  `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`
