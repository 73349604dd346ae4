import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How long a new connection is left alone, whatever its number: many watchers may arrive at once. */
const GRACE_MS = 1_000

export interface ConnectionLimit {
  /** The connection now belongs to a watcher and no longer counts. */
  exempt(socket: Socket): void
}

/**
 * Bounds the connections that aren't watchers. One more makes the oldest of them go, so that clients which
 * open connections and say nothing can't keep others out. Watchers are bounded by `total`, together with the
 * rest.
 */
export function limitConnections(
  server: Server,
  limit: number,
  total: number,
  graceMs = GRACE_MS,
): ConnectionLimit {
  const counted = new Map<Socket, number>()
  server.maxConnections = total
  server.on('connection', (socket: Socket) => {
    const now = performance.now()
    counted.set(socket, now)
    socket.once('close', () => counted.delete(socket))
    if (counted.size <= limit) return
    for (const [oldest, since] of counted) {
      if (now - since >= graceMs) {
        counted.delete(oldest)
        oldest.destroy()
      }
      return
    }
  })
  return { exempt: (socket) => void counted.delete(socket) }
}
