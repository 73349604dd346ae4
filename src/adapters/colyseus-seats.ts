import type { SidecarErrorCode } from '../index.js'
import type { Players } from '../players/index.js'
import type { ColyseusClient, ColyseusRoom, RoomMethod, SidecarPluginOptions } from './colyseus-types.js'

export interface Seats {
  /** Makes a new room ask for a seat before it lets anybody in. */
  guard(room: ColyseusRoom): void
  /** Somebody has left, and isn't awaited back. */
  free(room: ColyseusRoom, client: ColyseusClient): void
}

export function createSeats(players: Players, idOf: NonNullable<SidecarPluginOptions['idOf']>): Seats {
  /** Each player has one seat, in however many rooms. */
  const seats = new Map<string, { clients: number; taken: Promise<unknown> }>()
  /** The players, by room and session: after a reconnection, the session has another client. */
  const inRooms = new Map<string, string>()
  const keyOf = (room: ColyseusRoom, client: ColyseusClient): string => room.roomId + ' ' + client.sessionId

  async function take(id: string): Promise<void> {
    const seat = seats.get(id) ?? { clients: 0, taken: players.join(id) }
    seats.set(id, seat)
    seat.clients++
    try {
      await seat.taken
    } catch (cause) {
      if (seats.get(id) === seat) seats.delete(id)
      const { code } = cause as { code: SidecarErrorCode }
      // Colyseus sends a number and the message to the player.
      throw Object.assign(new Error('No seat on this server: ' + code), {
        code: code === 'INVALID_ARGUMENT' ? 400 : 503,
        cause,
      })
    }
  }

  function free(room: ColyseusRoom, client: ColyseusClient): void {
    const key = keyOf(room, client)
    const id = inRooms.get(key)
    const seat = seats.get(id!)
    if (!inRooms.delete(key) || --seat!.clients) return
    seats.delete(id!)
    void players.leave(id!)
  }

  return {
    free,
    guard(room) {
      /** The game must not see those who were not let in, or not yet, though Colyseus tells it when they leave. */
      const outside = new WeakSet<ColyseusClient>()
      const { onJoin } = room

      room.onJoin = async (client, ...rest) => {
        outside.add(client)
        const id = idOf(client, rest[0])
        if (id !== undefined) {
          await take(id)
          inRooms.set(keyOf(room, client), id)
        }
        let isIn = false
        try {
          // Any other state than the first: the client has left meanwhile, and Colyseus refuses it.
          if (client.state) return
          outside.delete(client)
          await onJoin?.call(room, client, ...rest)
          isIn = !client.state
        } finally {
          if (!isIn) free(room, client)
        }
      }

      const hide =
        (method: RoomMethod): RoomMethod =>
        (client, ...rest) =>
          outside.has(client) ? undefined : method.call(room, client, ...rest)
      if (room.onLeave) room.onLeave = hide(room.onLeave)
      if (room.onDrop) room.onDrop = hide(room.onDrop)
    },
  }
}
