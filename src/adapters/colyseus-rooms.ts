import type { AllocatedEvent } from '../index.js'
import type { Session } from '../players/index.js'
import { override } from './attached-server.js'
import type {
  ColyseusHandler,
  ColyseusMatchMaker,
  ColyseusRoom,
  ColyseusServer,
  RoomRequest,
  SidecarPluginOptions,
} from './colyseus-types.js'

type Listeners = Record<string, Parameters<ColyseusHandler['on']>[1]>

/** Listens to the rooms of all types, those that are defined later included. Returns the function that stops it. */
export function followRooms(server: ColyseusServer, matchMaker: ColyseusMatchMaker, listeners: Listeners): () => void {
  const handlers = new Set<unknown>()
  let isOver = false

  function follow(handler: unknown): unknown {
    if (!handlers.has(handler))
      Object.keys(listeners).forEach((type) =>
        (handler as ColyseusHandler).on(type, (room, client) => isOver || listeners[type]!(room, client)),
      )
    handlers.add(handler)
    return handler
  }

  const restore = override(
    server,
    'define',
    (define) =>
      (...values) =>
        follow(define.apply(server, values)),
  )
  const { driver } = server as { driver?: { createInstance?(listing: { name: string }): unknown } }
  const create = driver?.createInstance
  if (matchMaker.getAllHandlers) Object.values(matchMaker.getAllHandlers()).forEach(follow)
  // 0.16 doesn't tell its handlers, but asks its driver for a listing whenever it creates a room.
  else if (create)
    driver.createInstance = (listing) => {
      follow(matchMaker.getHandler(listing.name))
      return create.call(driver, listing)
    }

  return () => {
    isOver = true
    restore()
  }
}

export interface RoomSessions {
  /** Creates the room that a session's allocation asks for. */
  start(session: Session): Promise<void>
  created(room: ColyseusRoom): void
  joined(room: ColyseusRoom): void
  disposed(room: ColyseusRoom): void
}

export function createRoomSessions(
  matchMaker: ColyseusMatchMaker,
  room: SidecarPluginOptions['room'],
  listening: Promise<unknown>,
): RoomSessions {
  /** Each room's session; of a room that players have created, whether anybody was let in. */
  const rooms = new Map<string, Session | boolean>()
  /** Those whose allocation asks for no room. Their players may be here before the allocation is told. */
  const roomless: Session[] = []

  return {
    async start(session) {
      await listening
      try {
        const request = await requestOf(session.allocation, room)
        if (!request) return void roomless.push(session)
        // In this process, since it was allocated: createRoom() may choose another one.
        const { roomId } = await matchMaker.handleCreateRoom(request.name, request.options ?? {})
        if (rooms.has(roomId)) rooms.set(roomId, session)
        else void session.end()
      } catch (error) {
        void session.end()
        throw error
      }
    },
    created: ({ roomId }) => void rooms.set(roomId, false),
    joined({ roomId }) {
      if (rooms.get(roomId) === false) rooms.set(roomId, true)
    },
    disposed({ roomId }) {
      const owner = rooms.get(roomId)
      rooms.delete(roomId)
      void (owner === true ? roomless.shift() : owner || undefined)?.end()
    },
  }
}

function requestOf(
  allocated: AllocatedEvent,
  room: SidecarPluginOptions['room'],
): RoomRequest | undefined | Promise<RoomRequest | undefined> {
  if (typeof room === 'function') return room(allocated)
  // Of the whole object, since an allocation that sets the same as the last one changes nothing.
  const { annotations, labels } = allocated.gameServer.object_meta
  const text = valueOf(annotations, room?.annotation) || valueOf(labels, room?.label)
  return text ? (text.startsWith('{') ? (JSON.parse(text) as RoomRequest) : { name: text }) : undefined
}

/** By its whole key, or by the key without the platform's SDK prefix. */
function valueOf(all: Record<string, string> | null | undefined, key: string | undefined): string | undefined {
  for (const name in all) if (name.replace(/^.*\.dev\/sdk-/, '') === key || name === key) return all[name]
  return undefined
}
