import type { Server, Socket } from 'node:net'

/** How long a new connection is left alone, whatever its number: many watchers may arrive at once. */
const GRACE_MS = 1_000

export interface ConnectionLimit {
  /** The connection now belongs to a watcher and no longer counts. */
  exempt(socket: Socket): void
}

/**
 * Bounds the connections that aren't watchers. More make the oldest of them go, so that clients which
 * open connections and say nothing can't keep others out. Watchers are bounded by `total`, together with the
 * rest.
 */
export function limitConnections(
  server: Server,
  limit: number,
  total: number,
  graceMs = GRACE_MS,
): ConnectionLimit {
  const counted = new Map<string, { readonly socket: Socket; readonly since: number }>()
  server.maxConnections = total
  server.on('connection', (socket: Socket) => {
    const ends = endsOf(socket)
    counted.set(ends, { socket, since: performance.now() })
    socket.once('close', () => counted.delete(ends))
    makeRoom()
  })
  // Refused without having been one of them: otherwise those that are too many would stay until they time out.
  server.on('drop', makeRoom)
  function makeRoom(): void {
    const now = performance.now()
    for (const [oldest, { socket, since }] of counted) {
      if (counted.size <= limit || now - since < graceMs) return
      counted.delete(oldest)
      socket.destroy()
    }
  }
  return { exempt: (socket) => void counted.delete(endsOf(socket)) }
}

/** What a TLS socket and the one below it have in common: both ends of the connection. */
const endsOf = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): string =>
  `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`
