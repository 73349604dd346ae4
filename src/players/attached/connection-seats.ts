import { SidecarError, type GameServer, type SidecarClient } from '../../index.js'
import type { Players } from '../index.js'

/** ms that a connection waits for its seat while the sidecar is away. */
const JOIN_TIMEOUT = 10_000

/** ms by which the watch may show an allocation after its players come. */
const ALLOCATION_DELAY = 3000

/** An id takes a seat; null admits the connection without a seat, as a spectator; undefined refuses it. */
export type PlayerId = string | null | undefined

/** One player, whose connections share one seat. */
interface Seat {
  readonly id: string
  connections: number
  joined?: Promise<void>
  /** The tracker has refused the join, so the seat under this id may belong to somebody else. */
  isRefused?: boolean
}

interface SeatsOptions {
  client: SidecarClient
  players: Players | undefined
  unallocated: 'refuse' | 'allocate' | undefined
  report(error: SidecarError): void
}

type Identify = () => PlayerId | Promise<PlayerId>

/** The seats of a server's connections. */
export type ConnectionSeats<Connection> = ReturnType<typeof createSeats<Connection>>

export function createSeats<Connection>({ client, players, unallocated, report }: SeatsOptions) {
  const connections = new Map<Connection, Seat | undefined>()
  const seats = new Map<string, Seat>()
  let allocating: Promise<unknown> | undefined

  async function join(seat: Seat): Promise<void> {
    if (unallocated === 'refuse') await untilAllocated(client)
    if (!seat.connections) return
    try {
      await players?.join(seat.id, { timeout: JOIN_TIMEOUT })
    } catch (error) {
      // The GameServer lacks the list or counter. The tracker reports that, and players are admitted.
      if ((error as SidecarError).code !== 'NOT_FOUND') {
        seat.isRefused = true
        throw error
      }
    }
    if (unallocated !== 'allocate' || !seat.connections || client.gameServer?.status.state === 'Allocated') return
    allocating ??= client.allocate({ confirm: true, timeout: JOIN_TIMEOUT }).finally(() => (allocating = undefined))
    await allocating
  }

  /** Frees the seat of a connection that stays open. */
  function vacate(connection: Connection): void {
    const seat = connections.get(connection)
    if (!seat) return
    connections.set(connection, undefined)
    if (--seat.connections) return
    seats.delete(seat.id)
    if (!seat.isRefused) players?.leave(seat.id).catch(() => {})
  }

  function throwIfOver(connection: Connection, isGone?: () => boolean): void {
    if (all.admission === 'closed' || isGone?.() || !connections.has(connection))
      throw new SidecarError('CLOSED', 'This server or connection ends')
  }

  /** Takes a seat for a connection that has none. */
  async function sit(connection: Connection, id: string): Promise<void> {
    const seat = seats.get(id) ?? { id, connections: 0 }
    seats.set(id, seat)
    seat.connections++
    connections.set(connection, seat)
    try {
      await (seat.joined ??= join(seat))
    } catch (error) {
      if (connections.get(connection) === seat) vacate(connection)
      throw error
    }
  }

  const all = {
    /** Every connection that is admitted or waiting. */
    connections: connections as ReadonlyMap<Connection, unknown>,
    /** `closed`: new connections are refused. `detached`: every connection is admitted, without a seat. */
    admission: 'open' as 'open' | 'closed' | 'detached',
    /** Whether there are no players. */
    isEmpty: () => !seats.size,
    idOf(connection: Connection): string | undefined {
      return connections.get(connection)?.id
    },

    /** Call when the connection is closed, or earlier. */
    free(connection: Connection): void {
      vacate(connection)
      connections.delete(connection)
    },

    /** Resolves with the id of a player who could be admitted now, and takes no seat; rejects for any other player. */
    async check(identify: Identify): Promise<string | null> {
      if (all.admission === 'closed') throw new SidecarError('CLOSED', 'This server ends')
      const id = await ask(identify, report)
      if (id === null || seats.has(id)) return id
      if (unallocated === 'refuse') await untilAllocated(client)
      if (players?.full && !players.expected.includes(id))
        throw new SidecarError('OUT_OF_RANGE', 'Every seat is taken or promised')
      return id
    },

    /**
     * Resolves once this connection is admitted; rejects if it is refused.
     *
     * @param isGone whether the connection is lost, which may not have been reported by an event
     */
    async take(connection: Connection, identify: Identify, isGone: () => boolean): Promise<void> {
      if (all.admission === 'detached') return
      connections.set(connection, undefined)
      try {
        throwIfOver(connection, isGone)
        const id = await ask(identify, report)
        throwIfOver(connection, isGone)
        if (id !== null) await sit(connection, id)
        throwIfOver(connection, isGone)
      } catch (error) {
        all.free(connection)
        throw error
      }
    },

    /**
     * Takes a seat for an admitted connection in place of its present seat; null only frees the present seat. Rejects if
     * no seat is free; the connection stays open.
     */
    async seat(connection: Connection, id: string | null): Promise<void> {
      if (all.admission === 'detached') return
      const seat = connections.get(connection)
      if (seat?.id === id) return seat.joined
      vacate(connection)
      if (id === null) return
      throwIfOver(connection)
      await sit(connection, id)
      throwIfOver(connection)
    },
  }
  return all
}

async function untilAllocated(client: SidecarClient): Promise<void> {
  const isTaken = ({ status }: GameServer): boolean => /^(Allocated|Reserved)$/.test(status.state)
  try {
    await client.waitFor(isTaken, { timeout: ALLOCATION_DELAY })
  } catch (cause) {
    throw new SidecarError('UNAVAILABLE', 'This server is not allocated', { cause })
  }
}

async function ask(identify: Identify, report: (error: SidecarError) => void): Promise<string | null> {
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
