import { ServerResponse } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Server, Socket } from 'node:net'
import { announcesBody } from './framing.js'

/** Time for which connections and requests are spared beyond the limit, since many watchers may arrive at once. */
const GRACE_MS = 1_000
/** Time after which a client that takes nothing of its answer has stopped reading. */
const STALLED_MS = 5_000

/** What a request waits for. An upgrade is answered on its connection itself. */
export type Answer = ServerResponse | Socket

export interface ConnectionLimit {
  /**
   * Notes that a request waits for its answer until `answer` closes. Returns false if as many connections as may be
   * are being answered, and this is another one: the request is to be refused.
   */
  begin(message: IncomingMessage, answer: Answer): boolean
  /** How many requests of a connection wait for their answers. */
  waiting(socket: Socket): number
  /** The answer that the first of them waits for. */
  current(socket: Socket): Answer | undefined
  /** Ends connections that have been active for some time and wait for their clients. */
  makeRoom(): void
  /** Stops counting a connection that now belongs to a watcher, as long as there is room for watchers. */
  exempt(socket: Socket): void
}

interface Connection {
  /** With TLS, the plain socket below it. */
  readonly plain: Socket
  /** The requests that wait for answers. */
  readonly unanswered: Map<Answer, IncomingMessage>
  /** When it became idle or active. */
  since: number
  /** The bytes that its client has taken, and when it took the last of them. */
  taken: number
  takenAt: number
}

/**
 * Limits the connections that aren't watchers. Idle ones over the limit are ended, those first that have asked for
 * nothing for the longest time: clients that open connections and stay silent can't keep others out. No connection is
 * ended while it is being answered, and when as many as the limit have been for a while, no other is. All connections
 * together are never more than `total`, and watchers never take the places of the others.
 */
export function limitConnections(server: Server, limit: number, total: number, graceMs = GRACE_MS): ConnectionLimit {
  const known = new WeakMap<Socket, Connection>()
  /** The two ends of a connection tell which plain socket is below a TLS socket. */
  const byEnds = new Map<string, Connection>()
  /** These two are in the order in which they became so. */
  const idle = new Set<Connection>()
  const active = new Set<Connection>()
  const watching = new Set<Connection>()
  /** Beside watchers there is room for connections that are being answered, and for as many others. */
  const mostWatchers = Math.max(0, total - 2 * limit)

  const forget = (connection: Connection): void => {
    for (const group of [idle, active, watching]) group.delete(connection)
  }
  const evict = (connection: Connection): void => {
    forget(connection)
    connection.plain.destroy()
  }
  const rest = (connection: Connection): void => {
    forget(connection)
    connection.since = performance.now()
    if (!connection.plain.destroyed) idle.add(connection)
  }
  const find = (socket: Socket): Connection | undefined => {
    const connection = known.get(socket) ?? byEnds.get(endsOf(socket))
    if (connection !== undefined) known.set(socket, connection)
    return connection
  }
  /** Ends connections that have been active for some time and wait for their clients. Returns the number of the others. */
  const countBusy = (sparedMs: number): number => {
    const now = performance.now()
    let busy = 0
    for (const connection of active) {
      if (now - connection.since < sparedMs) break
      if (waitsForClient(connection)) evict(connection)
      else busy += 1
    }
    return busy
  }
  /** Whether one more may be active: then as many others still find room. */
  const mayBegin = (): boolean => {
    const most = total - limit - watching.size
    const hasRoom = active.size < limit || countBusy(graceMs) < limit
    return hasRoom && (active.size < most || countBusy(0) < most)
  }

  server.on('connection', (plain: Socket) => {
    const since = performance.now()
    const connection: Connection = { plain, unanswered: new Map(), since, taken: 0, takenAt: since }
    const ends = endsOf(plain)
    known.set(plain, connection)
    byEnds.set(ends, connection)
    idle.add(connection)
    plain.once('close', () => {
      forget(connection)
      // The client may have connected again from the same port by now.
      if (byEnds.get(ends) === connection) byEnds.delete(ends)
      for (const answer of connection.unanswered.keys()) closeUnlessBegun(answer)
    })
    for (const other of idle) {
      const isFull = idle.size + active.size + watching.size > total
      const isTooMany = idle.size + active.size > limit && since - other.since >= graceMs
      if (other === connection || !(isFull || isTooMany)) return
      evict(other)
    }
  })

  return {
    begin(message, answer) {
      const connection = find(message.socket)
      if (connection === undefined) return true
      const { unanswered } = connection
      if (unanswered.size === 0) {
        if (!mayBegin()) return false
        idle.delete(connection)
        active.add(connection)
        connection.since = connection.takenAt = performance.now()
      }
      unanswered.set(answer, message)
      answer.once('close', () => {
        unanswered.delete(answer)
        if (unanswered.size === 0) rest(connection)
      })
      return true
    },
    waiting: (socket) => find(socket)?.unanswered.size ?? 0,
    current: (socket) => find(socket)?.unanswered.keys().next().value,
    makeRoom() {
      countBusy(graceMs)
    },
    exempt(socket) {
      const connection = find(socket)
      if (connection === undefined || connection.plain.destroyed) return
      // One watcher too many is no longer spared.
      if (watching.size >= mostWatchers) return rest(connection)
      forget(connection)
      watching.add(connection)
    },
  }
}

/** Whether it is a client's turn on a connection: to send the rest of its request, or to read. */
function waitsForClient(connection: Connection): boolean {
  for (const message of connection.unanswered.values()) {
    if (!message.complete && announcesBody(message)) continue
    return hasStopped(message.socket, connection)
  }
  return true
}

/** Whether a client has stopped reading. Each call looks how far it has got. */
function hasStopped({ bytesWritten, writableLength }: Socket, connection: Connection): boolean {
  const now = performance.now()
  const taken = bytesWritten - writableLength
  if (writableLength > 0 && taken === connection.taken) return now - connection.takenAt >= STALLED_MS
  connection.taken = taken
  connection.takenAt = now
  return false
}

const endsOf = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): string =>
  `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`

/**
 * Closes an answer that nobody wants any longer. When a connection ends, Node closes only the answer whose turn it is, and
 * not those to the requests behind it.
 */
function closeUnlessBegun(answer: Answer): void {
  if (!(answer instanceof ServerResponse) || answer.socket !== null) return
  answer.destroy()
  answer.emit('close')
}
