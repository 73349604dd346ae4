import type { AllocatedEvent } from '../../index.js'
import type { Session, Sessions, SessionsOptions } from '../index.js'
import type { AttachedServer, AttachOptions } from './attached-server.js'
import type { PlayerId } from './connection-seats.js'

/** The public part of Colyseus' `Server` that is used. */
export interface ColyseusServer {
  define(...parameters: never[]): unknown
  listen(...parameters: never[]): Promise<unknown>
  gracefullyShutdown(exit?: boolean, error?: Error): Promise<unknown>
}

/** The part of Colyseus' `matchMaker` that is used. */
export interface ColyseusMatchMaker {
  getHandler(name: string): object
  getAllHandlers(): object
  handleCreateRoom(name: string, options: object): Promise<{ roomId: string }>
  /** Answers the requests of players for a place in a room. */
  readonly controller: { invokeMethod(...parameters: never[]): Promise<unknown> }
}

/** The part of Colyseus' `Client` that is used. */
export interface ColyseusClient {
  readonly sessionId: string
  /** What `onAuth` has returned. */
  auth?: unknown
  /** 0 while it joins. */
  readonly state?: unknown
}

/** The room to create for an allocation. */
export interface RoomRequest {
  name: string
  /** For its `onCreate`. */
  options?: object
}

export interface SidecarPluginOptions extends Omit<AttachOptions<never>, 'idOf' | 'trustProxy'> {
  /** Import `matchMaker` from the same package as `Server`: each copy of Colyseus has its own. */
  matchMaker: ColyseusMatchMaker
  /** As in `trackSessions`; default: one session at a time */
  sessions?: Omit<SessionsOptions, 'onSession'>
  /**
   * The room that is created for a session: the label that names the room; the annotation that names the room, or holds
   * `{ "name", "options" }` as JSON; or a function. If players are already in a room of that name, the session adopts
   * that room, unless the allocation has options for it. A session that names no room ends with the next room of
   * players that is disposed. Players whose seat the allocation promised are led to the session's room.
   */
  room?:
    | { label?: string; annotation?: string }
    | ((allocated: AllocatedEvent) => RoomRequest | undefined | Promise<RoomRequest | undefined>)
  /**
   * Lets players only into rooms of sessions: without such a room, nobody gets a place. A session that names no room
   * takes the room that players make. Default false
   */
  sessionRoomsOnly?: boolean
  /**
   * The id that takes the seat; null for no seat, as for a spectator or in a lobby; undefined refuses the client. A
   * player in several rooms has one seat. Called at matchmaking, when the client has only `auth` and a session id, and
   * again when the client joins. If `idOf` throws, `onError` gets the error and the client is refused. Default: `auth.id`
   * of the client, else `playerId` of its join options, else its session id
   */
  idOf?(client: ColyseusClient, options: unknown): PlayerId | Promise<PlayerId>
}

export interface ColyseusSidecar extends Omit<AttachedServer, 'idOf' | 'seat'> {
  readonly sessions: Sessions
  /** The session that a room belongs to, such as for `touch()`; undefined for a room that players created. */
  sessionOf(room: { readonly roomId: string }): Session | undefined
}
