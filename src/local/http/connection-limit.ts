import type { EventEmitter } from 'node:events'
import type { Server, Socket } from 'node:net'

/** A connection younger than this is spared beyond the limit, since many watchers or players may come at once. */
const GRACE_MS = 1_000

interface Connection {
  /** With TLS, the underlying plain socket. */
  readonly plain: Socket
  /** Requests that wait for their answers. */
  unanswered: number
  /** When the connection was opened, or a request on it was last answered. */
  since: number
}

/**
 * Limits the connections that belong to no watcher or player to `limit`, and all
 * connections to `total`. Beyond a limit, the connections that have been idle longest
 * are closed, so a client that opens connections and stays silent keeps nobody out.
 */
export function limitConnections(server: Server, limit: number, total: number, graceMs = GRACE_MS) {
  /** Keyed by both ends, which a TLS socket shares with its plain one. The connections idle for longest come first. */
  const counted = new Map<string, Connection>()
  const all = new Set<Connection>()

  const makeRoom = (now: number): void => {
    for (const [ends, connection] of counted) {
      const isSpared = counted.size <= limit || now - connection.since < graceMs
      if (all.size <= total && isSpared) return
      if (connection.unanswered > 0) continue
      all.delete(connection)
      counted.delete(ends)
      connection.plain.destroy()
    }
  }

  server.on('connection', (plain: Socket) => {
    const ends = endsOf(plain)
    const connection: Connection = { plain, unanswered: 0, since: performance.now() }
    all.add(connection)
    counted.set(ends, connection)
    plain.once('close', () => {
      all.delete(connection)
      // The client may have connected again from the same port by now.
      if (counted.get(ends) === connection) counted.delete(ends)
    })
    makeRoom(connection.since)
  })

  return {
    /** Keeps a connection from being ended to make room until `answer` closes. */
    begin(socket: Socket, answer: EventEmitter): void {
      const ends = endsOf(socket)
      const connection = counted.get(ends)
      if (connection === undefined) return
      connection.unanswered += 1
      answer.once('close', () => {
        connection.unanswered -= 1
        connection.since = performance.now()
        if (counted.get(ends) !== connection) return
        counted.delete(ends)
        counted.set(ends, connection)
      })
    },
    /** Stops counting a connection that now belongs to a watcher or a player. */
    exempt: (socket: Socket): void => void counted.delete(endsOf(socket)),
  }
}

const endsOf = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): string =>
  `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`
