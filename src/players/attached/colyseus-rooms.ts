import { SidecarError, type AllocatedEvent, type SidecarClient } from '../../index.js'
import type { Session } from '../index.js'
import type { ColyseusClient, ColyseusMatchMaker, RoomRequest, SidecarPluginOptions } from './colyseus-types.js'
import type { ConnectionSeats } from './connection-seats.js'
import { override, pause } from './hooks.js'

/** ms that a player waits for the room of an allocation that the watch hasn't shown yet, and between two looks. */
const ROOM_DELAY = 3000
const INTERVAL = 100

/** The events of a room's handler. */
export interface ColyseusHandler {
  on(type: string, listener: (room: ColyseusRoom, client: ColyseusClient) => void): unknown
}

/** The part of a room that is used. */
export interface ColyseusRoom {
  readonly roomId: string
  readonly roomName: string
  readonly clients: { readonly length: number }
  readonly locked: boolean
  disconnect(): Promise<unknown>
  lock(): unknown
  onBeforeShutdown(): unknown
  onDispose?(): unknown
  onJoin?: RoomMethod
  onLeave?: RoomMethod
  onDrop?: RoomMethod
}

type RoomMethod = (client: ColyseusClient, ...rest: unknown[]) => unknown

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
export function guardJoins(
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

/** The static part of a room's class, and of the base class `Room`. */
interface RoomClass {
  onAuth?(...given: unknown[]): unknown
  readonly prototype: { onAuth?: unknown }
}

/** What Colyseus tells of a player's request. */
interface AuthContext {
  readonly token?: unknown
}

interface MatchmakingOptions {
  client: SidecarClient
  seats: ConnectionSeats<string>
  rooms: ReturnType<typeof createRoomSessions>
  idOf: NonNullable<SidecarPluginOptions['idOf']>
  /** The list that holds promised seats. */
  list: string
  sessionRoomsOnly: boolean | undefined
}

/**
 * Decides before Colyseus reserves a place in a room, since a place is reserved for players who never join: refuses
 * those who can get no seat, and leads others to the room of their session.
 */
export function guardMatchmaking(
  matchMaker: ColyseusMatchMaker,
  { client, seats, rooms, idOf, list, sessionRoomsOnly }: MatchmakingOptions,
  undo: (run: () => unknown) => void,
): void {
  const readAuth = createAuth(undo)
  const { controller } = matchMaker

  /** The room to join instead. */
  async function roomFor(name: string, id: string | null): Promise<string | undefined> {
    if (!sessionRoomsOnly) return rooms.promised(name, id, list)
    for (let waited = 0; ; waited += INTERVAL) {
      const found = rooms.promised(name, id, list) ?? rooms.open(name)
      if (found || rooms.takesAny()) return found
      if (waited >= ROOM_DELAY || client.status.connection === 'closed')
        throw new SidecarError('UNAVAILABLE', 'No session has such a room')
      await pause(client, INTERVAL)
    }
  }

  async function invoke(
    method: string,
    name: string,
    options: object,
    context: AuthContext,
  ): Promise<[string, string]> {
    const isById = method === 'joinById'
    const roomName = isById ? rooms.nameOf(name) : name
    if (!roomName || method === 'reconnect') return [method, name]
    const { klass } = matchMaker.getHandler(roomName) as { klass: RoomClass }
    const known = await readAuth(klass, options, context)
    if (!known) return [method, name]
    try {
      // Colyseus makes the session id later.
      const id = await seats.check(() => idOf({ sessionId: crypto.randomUUID(), ...known }, options))
      const room = isById ? undefined : await roomFor(roomName, id)
      return room ? ['joinById', room] : [method, name]
    } catch (error) {
      throw refusal(error as SidecarError)
    }
  }

  undo(
    override(
      controller,
      'invokeMethod',
      (before) =>
        async (method: string, name: string, options: object = {}, context: AuthContext = {}) =>
          before.call(controller, ...(await invoke(method, name, options, context)), options, context),
    ),
  )
}

/** Returns a function that reads who a player is. Undefined: Colyseus refuses the player, or only the room can tell. */
function createAuth(undo: (run: () => unknown) => void) {
  const results = new WeakMap<object, Promise<unknown>>()
  const classes = new Set<RoomClass>()

  /** Runs the `onAuth` of a class once for each request: the second call is Colyseus' own. */
  function once(klass: RoomClass): void {
    if (classes.has(klass)) return
    classes.add(klass)
    undo(
      override(klass, 'onAuth', (before) => (...given: object[]) => {
        const request = given[given.length - 1]!
        const result = results.get(request) ?? Promise.resolve(before.apply(klass, given))
        results.set(request, result)
        return result
      }),
    )
  }

  return async (klass: RoomClass, options: object, context: AuthContext): Promise<{ auth?: unknown } | undefined> => {
    let base = klass
    while (Object.getPrototypeOf(base) !== Function.prototype) base = Object.getPrototypeOf(base) as RoomClass
    if (klass.onAuth === base.onAuth) return klass.prototype.onAuth === base.prototype.onAuth ? {} : undefined
    once(klass)
    const auth = await Promise.resolve(klass.onAuth!(context.token, options, context)).catch(() => undefined)
    return auth ? { auth } : undefined
  }
}
