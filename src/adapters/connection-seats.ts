import { SidecarError } from '../index.js'
import type { Players } from '../players/index.js'

/** ms that a connection waits for its seat while the sidecar is away. */
const JOIN_TIMEOUT = 10_000

/** Errors of `join` that say that seats can't be counted here at all: they are told, and nobody is refused for them. */
const UNCOUNTED = /^(NOT_FOUND|FEATURE_DISABLED|UNIMPLEMENTED)$/

/** An id takes a seat; null comes in without one, as a spectator does; undefined is refused. */
export type PlayerId = string | null | undefined

/** One player, who keeps one seat over all connections of that id. */
interface Seat {
  readonly id: string
  connections: number
  readonly joined: Promise<unknown>
}

/** The seats of a server's connections. */
export interface ConnectionSeats<Connection> {
  /** Every connection that has come in or waits. */
  readonly connections: ReadonlyMap<Connection, unknown>
  /** Resolves once this connection may come in. @throws SidecarError where it may not */
  take(connection: Connection, identify: () => PlayerId | Promise<PlayerId>): Promise<void>
  /** Called once the connection is closed, or at any time before. */
  free(connection: Connection): void
  idOf(connection: Connection): string | undefined
  /** Nobody else comes in. */
  stop(): void
}

export function createSeats<Connection>(
  players: Players | undefined,
  report: (error: SidecarError) => void,
): ConnectionSeats<Connection> {
  const connections = new Map<Connection, Seat | undefined>()
  const seats = new Map<string, Seat>()
  let isStopped = false

  async function ask(identify: () => PlayerId | Promise<PlayerId>): Promise<string | null> {
    let id: PlayerId
    try {
      id = await identify()
    } catch (cause) {
      const error = new SidecarError('UNKNOWN', 'idOf failed', { cause, hint: 'See `cause`' })
      report(error)
      throw error
    }
    if (id === null || typeof id === 'string') return id
    throw new SidecarError('INVALID_ARGUMENT', 'This connection says of no player', { hint: '' })
  }

  function seatOf(id: string): Seat {
    const taken = seats.get(id)
    if (taken) return taken
    const seat: Seat = { id, connections: 0, joined: join() }
    seats.set(id, seat)
    return seat

    async function join(): Promise<void> {
      try {
        if (players) await players.join(id, { timeout: JOIN_TIMEOUT })
      } catch (error) {
        if (UNCOUNTED.test((error as SidecarError).code)) return
        forget(seat)
        throw error
      }
    }
  }

  /** Whether it was there. */
  function forget(seat: Seat): boolean {
    return seats.get(seat.id) === seat && seats.delete(seat.id)
  }

  function free(connection: Connection): void {
    const seat = connections.get(connection)
    connections.delete(connection)
    // One that was refused may be somebody else's.
    if (!seat || --seat.connections || !forget(seat) || !players) return
    players.leave(seat.id).catch(() => {})
  }

  return {
    connections,
    free,
    idOf: (connection) => connections.get(connection)?.id,
    async take(connection, identify) {
      const stopIfOver = (): void => {
        if (isStopped || !connections.has(connection))
          throw new SidecarError('CLOSED', 'This server ends', { hint: '' })
      }
      connections.set(connection, undefined)
      try {
        stopIfOver()
        const id = await ask(identify)
        stopIfOver()
        if (id === null) return
        const seat = seatOf(id)
        seat.connections++
        connections.set(connection, seat)
        await seat.joined
        stopIfOver()
      } catch (error) {
        free(connection)
        throw error
      }
    },
    stop() {
      isStopped = true
    },
  }
}
