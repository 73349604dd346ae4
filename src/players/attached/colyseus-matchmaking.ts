import { SidecarError, type SidecarClient } from '../../index.js'
import { refusal, type createRoomSessions } from './colyseus-rooms.js'
import type { ColyseusMatchMaker, SidecarPluginOptions } from './colyseus-types.js'
import type { ConnectionSeats } from './connection-seats.js'
import { override, pause } from './hooks.js'

/** ms that a player waits for the room of an allocation that the watch hasn't shown yet, and between two looks. */
const ROOM_DELAY = 3000
const INTERVAL = 100

/** The static part of a room's class, and of the base class `Room`. */
interface RoomClass {
  onAuth?(...given: unknown[]): unknown
  readonly prototype: { onAuth?: unknown }
}

/** What Colyseus tells of a player's request. */
interface AuthContext {
  readonly token?: unknown
}

export interface MatchmakingOptions {
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
