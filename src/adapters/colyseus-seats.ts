import type { SidecarError } from '../index.js'
import type { ColyseusClient, ColyseusRoom, RoomMethod, SidecarPluginOptions } from './colyseus-types.js'
import type { ConnectionSeats } from './connection-seats.js'

/** By room and session: after a reconnection, the session has another client. */
export const keyOf = (room: ColyseusRoom, client: ColyseusClient): string => room.roomId + ' ' + client.sessionId

/** Makes a new room ask for a seat before it lets anybody in. */
export function guard(
  room: ColyseusRoom,
  seats: ConnectionSeats<string>,
  idOf: NonNullable<SidecarPluginOptions['idOf']>,
): void {
  /** The game must not see those who were not let in, or not yet, though Colyseus tells it when they leave. */
  const outside = new WeakSet<ColyseusClient>()
  const { onJoin } = room

  room.onJoin = async (client, ...rest) => {
    const key = keyOf(room, client)
    outside.add(client)
    try {
      await seats.take(key, () => idOf(client, rest[0]))
    } catch (cause) {
      const { code } = cause as SidecarError
      // Colyseus sends a number and the message to the player.
      throw Object.assign(new Error('No seat on this server: ' + code), {
        code: code === 'INVALID_ARGUMENT' ? 401 : 503,
        cause,
      })
    }
    let isIn = false
    try {
      // Any other state than the first: the client has left meanwhile, and Colyseus refuses it.
      if (client.state) return
      outside.delete(client)
      await onJoin?.call(room, client, ...rest)
      isIn = !client.state
    } finally {
      if (!isIn) seats.free(key)
    }
  }

  const hide =
    (method: RoomMethod): RoomMethod =>
    (client, ...rest) =>
      outside.has(client) ? undefined : method.call(room, client, ...rest)
  if (room.onLeave) room.onLeave = hide(room.onLeave)
  if (room.onDrop) room.onDrop = hide(room.onDrop)
}
