import { internals, type AutoHealthOptions, type ClientOptions, type SidecarClient } from '../index.js'
import { trackSessions, type PlayersOptions, type Sessions } from './index.js'
import { attach, type AttachedServer } from './attached/attached-server.js'
import {
  createRoomSessions,
  guardJoins,
  guardMatchmaking,
  keyOf,
  type ColyseusHandler,
} from './attached/colyseus-rooms.js'
import type {
  ColyseusClient,
  ColyseusServer,
  ColyseusSidecar,
  SidecarPluginOptions,
} from './attached/colyseus-types.js'
import { override, whenListening } from './attached/hooks.js'

export type { EndWhenEmptyOptions } from './index.js'
export type {
  ColyseusClient,
  ColyseusMatchMaker,
  ColyseusServer,
  ColyseusSidecar,
  RoomRequest,
  SidecarPluginOptions,
} from './attached/colyseus-types.js'

/** What Colyseus' own types don't show. */
interface Inside {
  transport?: { server?: Parameters<typeof whenListening>[0] & { listening: boolean } }
  state?: unknown
  onBeforeShutdownCallback?(): unknown
}

/** ms of event loop delay above which beats are held back */
const MAX_DELAY = 1000

/**
 * Runs a server of Colyseus 0.17 or later as a GameServer: `ready()` once the server listens, a session for each
 * allocation, a seat for each player, a graceful shutdown. Call it before or after `listen()`.
 *
 * ```js
 * const server = new Server({ transport: new WebSocketTransport() })
 * server.define('arena', Arena)
 * sidecarPlugin(server, { matchMaker, room: { label: 'room' } })
 * await server.listen(2567)
 * ```
 *
 * @throws SidecarError `CONFIG` for anything but a Colyseus server, and for invalid options
 */
export function sidecarPlugin(server: ColyseusServer, options: SidecarPluginOptions): ColyseusSidecar {
  const { check } = internals
  const { define, listen, gracefullyShutdown } = Object(server) as ColyseusServer
  check([define, listen, gracefullyShutdown].every(Boolean), 'server', server, 'a Colyseus Server')
  const { matchMaker, room, idOf = idOfClient, sessionRoomsOnly, players } = Object(options) as SidecarPluginOptions
  const { list = 'players' } = Object(players) as PlayersOptions
  // Another copy of the module has no state, such as the CommonJS one beside the ES module.
  const isOfServer = (Object(matchMaker) as Inside).state !== undefined && matchMaker.getAllHandlers
  check(isOfServer, 'matchMaker', matchMaker, 'imported from where Server is, from Colyseus 0.17 or later')

  let sessions!: Sessions
  let rooms!: ReturnType<typeof createRoomSessions>
  const attached: AttachedServer = attach<string>(
    { ...options, client: clientOptions(options, () => attached.client) },
    ['matchMaker', 'room', 'sessions', 'sessionRoomsOnly'],
    ({ client, seats, onListening, endBySignal, undo }) => {
      let resolveListening!: () => void
      const listening = new Promise<void>((resolve) => (resolveListening = resolve))
      void listening.then(onListening)
      rooms = createRoomSessions(matchMaker, room, listening)
      sessions = trackSessions(client, { ...options.sessions, onSession: rooms.start })
      sessions.on('ended', rooms.ended)
      undo(() => sessions.close())
      function follow(type: unknown): unknown {
        const handler = type as ColyseusHandler
        handler.on('create', (room) => {
          guardJoins(room, seats, idOf)
          rooms.created(room)
        })
        handler.on('join', rooms.joined)
        handler.on('leave', (room, client) => seats.free(keyOf(room, client)))
        handler.on('dispose', rooms.disposed)
        return type
      }
      Object.values(matchMaker.getAllHandlers()).forEach(follow)
      // Types of rooms may be defined later.
      const defineAndFollow =
        (define: (...values: unknown[]) => unknown) =>
        (...values: never[]) =>
          follow(define.apply(server, values))
      undo(override(server, 'define', defineAndFollow))
      guardMatchmaking(matchMaker, { client, seats, rooms, idOf, list, sessionRoomsOnly }, undo)

      const http = (server as Inside).transport?.server
      undo(
        http
          ? whenListening(http, http.listening, resolveListening)
          : override(server, 'listen', (listen) => async (...values) => {
              const listened = await listen.apply(server, values)
              resolveListening()
              return listened
            }),
      )
      let isEnding = false
      // Colyseus calls this on SIGTERM, even after a shutdown, and would exit before shutdown() is sent.
      const restore = override(server, 'gracefullyShutdown', () => async (exit = true, error?: Error) => {
        if (error) process.exitCode = 1
        await endBySignal()
        if (exit) process.exit()
      })
      undo(() => isEnding || restore())
      return {
        end() {
          isEnding = true
          // A room that ends from now on must not free a place for another session.
          sessions.close()
          // Colyseus runs the server's own callback first, then ends the rooms.
          override(server as Inside, 'onBeforeShutdownCallback', (before) => async () => {
            await before?.call(server)
            await rooms.end()
          })
          return gracefullyShutdown.call(server, false)
        },
      }
    },
  )
  return { ...attached, sessions, sessionOf: rooms.sessionOf }
}

/** Signals are left to Colyseus, which listens to them itself. */
function clientOptions(
  { client: given = {} }: SidecarPluginOptions,
  client: () => SidecarClient,
): SidecarClient | ClientOptions {
  if ('getGameServer' in given) return given
  const { autoHealth, now = Date.now } = given
  const { check } = Object(autoHealth) as AutoHealthOptions
  return {
    processSignals: false,
    ...given,
    // Beats are timers of the same event loop, so a blocked loop stops them. A loop that takes two seconds a turn still
    // sends every beat, while nobody can play.
    autoHealth: autoHealth !== false && {
      ...(autoHealth as object),
      async check() {
        const asked = now()
        await new Promise<void>((resolve) => client().after(1, resolve))
        return now() - asked <= MAX_DELAY && (!check || check())
      },
    },
  }
}

function idOfClient({ auth, sessionId }: ColyseusClient, options: unknown): string {
  const { id } = Object(auth) as { id?: string | number }
  return String(id ?? (Object(options) as { playerId?: string | number }).playerId ?? sessionId)
}
