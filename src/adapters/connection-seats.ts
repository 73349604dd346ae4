import { SidecarError, type GameServer, type SidecarClient } from '../index.js'
import type { Players } from '../players/index.js'

/** ms that a connection waits for its seat while the sidecar is away. */
const JOIN_TIMEOUT = 10_000

/** ms by which the watch may tell of an allocation later than its players come. */
const ALLOCATION_DELAY = 3000

/** Errors of `join` on a GameServer that can't count seats: reported by the tracker, and nobody is refused for them. */
const UNCOUNTED = /^(NOT_FOUND|FEATURE_DISABLED|UNIMPLEMENTED)$/

/** An id takes a seat; null comes in without one, as a spectator does; undefined is refused. */
export type PlayerId = string | null | undefined

/** One player, who keeps one seat over all connections of that id. */
interface Seat {
  readonly id: string
  connections: number
  joined?: Promise<void>
  /** The tracker has refused the join, so the id may be somebody else's. */
  isRefused?: boolean
}

export interface SeatsOptions {
  client: SidecarClient
  players: Players | undefined
  unallocated: 'refuse' | 'allocate' | undefined
  report(error: SidecarError): void
}

/** The seats of a server's connections. */
export interface ConnectionSeats<Connection> {
  /** Every connection that has come in or waits. */
  readonly connections: ReadonlyMap<Connection, unknown>
  /** Whether no player is here. */
  isEmpty(): boolean
  /**
   * Resolves once this connection may come in.
   *
   * @param isGone whether the connection has been lost, which nobody may have been told of
   * @throws SidecarError where it may not
   */
  take(connection: Connection, identify: () => PlayerId | Promise<PlayerId>, isGone: () => boolean): Promise<void>
  /** Called once the connection is closed, or at any time before. */
  free(connection: Connection): void
  idOf(connection: Connection): string | undefined
  /** Nobody else comes in. */
  stop(): void
  /** Everybody else comes in, and seats are no longer taken, unless the server has stopped. */
  close(): void
}

export function createSeats<Connection>(options: SeatsOptions): ConnectionSeats<Connection> {
  const { client, players, unallocated, report } = options
  const connections = new Map<Connection, Seat | undefined>()
  const seats = new Map<string, Seat>()
  let isStopped = false
  let isClosed = false
  let allocating: Promise<unknown> | undefined

  async function join(seat: Seat): Promise<void> {
    if (unallocated === 'refuse') await untilAllocated()
    if (!seat.connections) return
    try {
      await players?.join(seat.id, { timeout: JOIN_TIMEOUT })
    } catch (error) {
      if (!UNCOUNTED.test((error as SidecarError).code)) {
        seat.isRefused = true
        throw error
      }
    }
    if (unallocated !== 'allocate' || !seat.connections || client.gameServer?.status.state === 'Allocated') return
    allocating ??= client.allocate({ confirm: true, timeout: JOIN_TIMEOUT }).finally(() => (allocating = undefined))
    await allocating
  }

  async function untilAllocated(): Promise<void> {
    const isTaken = ({ status }: GameServer): boolean => /^(Allocated|Reserved)$/.test(status.state)
    try {
      await client.waitFor(isTaken, { timeout: ALLOCATION_DELAY })
    } catch (cause) {
      throw new SidecarError('UNAVAILABLE', 'This server is not allocated', { cause })
    }
  }

  function free(connection: Connection): void {
    const seat = connections.get(connection)
    connections.delete(connection)
    if (!seat || --seat.connections) return
    seats.delete(seat.id)
    if (!seat.isRefused) players?.leave(seat.id).catch(() => {})
  }

  return {
    connections,
    isEmpty: () => !seats.size,
    free,
    idOf: (connection) => connections.get(connection)?.id,
    async take(connection, identify, isGone) {
      if (isClosed && !isStopped) return
      const stopIfOver = (): void => {
        if (isStopped || isGone() || !connections.has(connection)) throw new SidecarError('CLOSED', 'This server ends')
      }
      connections.set(connection, undefined)
      try {
        stopIfOver()
        const id = await ask(identify, report)
        stopIfOver()
        if (id === null) return
        const seat = seats.get(id) ?? { id, connections: 0 }
        seats.set(id, seat)
        seat.connections++
        connections.set(connection, seat)
        await (seat.joined ??= join(seat))
        stopIfOver()
      } catch (error) {
        free(connection)
        throw error
      }
    },
    stop() {
      isStopped = true
    },
    close() {
      isClosed = true
    },
  }
}

async function ask(
  identify: () => PlayerId | Promise<PlayerId>,
  report: (error: SidecarError) => void,
): Promise<string | null> {
  let id: PlayerId
  try {
    id = await identify()
  } catch (cause) {
    const error = new SidecarError('UNKNOWN', 'idOf failed', { cause })
    report(error)
    throw error
  }
  if (id === null || typeof id === 'string') return id
  throw new SidecarError('INVALID_ARGUMENT', 'This connection names no player')
}
