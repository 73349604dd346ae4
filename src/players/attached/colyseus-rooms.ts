import type { AllocatedEvent, SidecarError } from '../../index.js'
import type { Session } from '../index.js'
import type {
  ColyseusClient,
  ColyseusMatchMaker,
  ColyseusRoom,
  RoomMethod,
  RoomRequest,
  SidecarPluginOptions,
} from './colyseus-types.js'
import type { ConnectionSeats } from './connection-seats.js'

/** A session, and the name of the room that it requests. A session without a name accepts any room of players. */
interface Owner {
  readonly session: Session
  readonly name?: string
}

/** A room, and whether a player was let in. */
interface Known {
  readonly room: ColyseusRoom
  owner?: Owner | undefined
  isUsed: boolean
}

/**
 * A player who comes before the watch shows the allocation creates a room without a session. A session adopts such a
 * room instead of ending or creating a second room: otherwise the platform could allocate the GameServer again while
 * people play on it.
 */
export function createRoomSessions(
  matchMaker: ColyseusMatchMaker,
  room: SidecarPluginOptions['room'],
  listening: Promise<unknown>,
) {
  const rooms = new Map<string, Known>()
  /** Resolve when the `onDispose` of a room has ended. */
  const disposals = new Set<Promise<void>>()
  /** Sessions whose allocation requests no room. */
  let roomless: Owner[] = []

  /** Whether a room of players exists for the session. */
  function adopt(owner: Owner): boolean {
    for (const known of rooms.values()) {
      const { room, isUsed } = known
      if (isUsed && !known.owner && room.clients.length && (!owner.name || owner.name === room.roomName))
        return !!(known.owner = owner)
    }
    return false
  }

  function ownedRoom(roomName: string, fits: (session: Session, room: ColyseusRoom) => boolean): string | undefined {
    for (const { room, owner } of rooms.values())
      if (owner && room.roomName === roomName && fits(owner.session, room)) return room.roomId
    return undefined
  }

  return {
    /** Finds or creates the room that a session's allocation requests. */
    async start(session: Session): Promise<void> {
      await listening
      try {
        const request = await requestOf(session.allocation, room)
        if (!request) return void roomless.push({ session })
        const { name, options } = request
        const owner = { session, name }
        if (!options && adopt(owner)) return
        // Create the room in this process, the allocated one: createRoom() may choose another process.
        const { roomId } = await matchMaker.handleCreateRoom(name, options ?? {})
        const known = rooms.get(roomId)
        if (known) known.owner = owner
        else void session.end()
      } catch (error) {
        void session.end()
        throw error
      }
    },
    /** Closes the room of a session that ended before its room did. */
    ended(session: Session): void {
      roomless = roomless.filter((owner) => owner.session !== session)
      for (const { room, owner } of rooms.values()) if (owner?.session === session) void room.disconnect()
    },
    created(room: ColyseusRoom): void {
      rooms.set(room.roomId, { room, isUsed: false })
      const { onDispose } = room
      const disposal = new Promise<void>((resolve) => {
        room.onDispose = async () => {
          try {
            await onDispose?.call(room)
          } finally {
            resolve()
          }
        }
      })
      disposals.add(disposal)
      void disposal.then(() => disposals.delete(disposal))
    },
    /** Ends all rooms as Colyseus does, which continues when the quickest has been disposed, and awaits each. */
    async end(): Promise<void> {
      for (const { room } of rooms.values()) {
        room.lock()
        room.onBeforeShutdown()
      }
      await Promise.all(disposals)
    },
    nameOf: (roomId: string) => rooms.get(roomId)?.room.roomName,
    /** The room of a session that promised this player a seat. */
    promised: (roomName: string, id: string | null, list: string) =>
      ownedRoom(roomName, ({ allocation }) => !!id && !!allocation.lists[list]?.includes(id)),
    /** Whether a session takes the room that players make. */
    takesAny: () => roomless.length > 0,
    /** A room of any session that has places. */
    open: (roomName: string) => ownedRoom(roomName, (_, { locked }) => !locked),
    joined({ roomId }: ColyseusRoom): void {
      const known = rooms.get(roomId)
      if (known) known.isUsed = true
    },
    disposed({ roomId }: ColyseusRoom): void {
      const known = rooms.get(roomId)
      rooms.delete(roomId)
      const owner = known?.owner ?? (known?.isUsed ? roomless.shift() : undefined)
      if (owner && !adopt(owner)) void owner.session.end()
    },
    sessionOf: ({ roomId }: { readonly roomId: string }) => rooms.get(roomId)?.owner?.session,
  }
}

function requestOf(
  allocated: AllocatedEvent,
  room: SidecarPluginOptions['room'],
): RoomRequest | undefined | Promise<RoomRequest | undefined> {
  if (typeof room === 'function') return room(allocated)
  // Read the whole object: an allocation that sets the same values as the last one changes nothing.
  const { annotations, labels } = allocated.gameServer.object_meta
  const text = valueOf(annotations, room?.annotation) || valueOf(labels, room?.label)
  return text ? (text.startsWith('{') ? (JSON.parse(text) as RoomRequest) : { name: text }) : undefined
}

/** Looks a value up by its full key, or by its key without the platform's SDK prefix. */
function valueOf(all: Record<string, string> | null | undefined, key: string | undefined): string | undefined {
  for (const name in all) if (name.replace(/^.*\.dev\/sdk-/, '') === key || name === key) return all[name]
  return undefined
}

/** Keyed by room and session id, because a reconnection gives the session another client object. */
export const keyOf = (room: ColyseusRoom, client: ColyseusClient): string => room.roomId + ' ' + client.sessionId

/** Colyseus sends a number and the message to the player. */
export function refusal(cause: Pick<SidecarError, 'code'>): Error {
  const code = cause.code === 'INVALID_ARGUMENT' ? 401 : 503
  return Object.assign(new Error('No seat on this server: ' + cause.code, { cause }), { code })
}

/** Makes a new room take a seat for each client before it admits the client. */
export function guard(
  room: ColyseusRoom,
  seats: ConnectionSeats<string>,
  idOf: NonNullable<SidecarPluginOptions['idOf']>,
): void {
  /** Hides the leaving of clients that were never admitted: Colyseus would report it to the game. */
  const outside = new WeakSet<ColyseusClient>()
  const { onJoin } = room

  room.onJoin = async (client, ...rest) => {
    const key = keyOf(room, client)
    // Any other state than the first means that the client has left, and Colyseus refuses it.
    const isGone = (): boolean => !!client.state
    outside.add(client)
    try {
      await seats.take(key, () => idOf(client, rest[0]), isGone)
    } catch (error) {
      throw refusal(error as SidecarError)
    }
    outside.delete(client)
    let isIn = false
    try {
      await onJoin?.call(room, client, ...rest)
      isIn = !isGone()
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
