import { SidecarError, type EndingEvent } from '../index.js'
import { trackPlayers, trackSessions } from '../players/index.js'
import { clientOf, pause } from './colyseus-client.js'
import { createRoomSessions, followRooms } from './colyseus-rooms.js'
import { createSeats } from './colyseus-seats.js'
import type { ColyseusClient, ColyseusServer, ColyseusSidecar, SidecarPluginOptions } from './colyseus-types.js'

export type {
  ColyseusClient,
  ColyseusMatchMaker,
  ColyseusServer,
  ColyseusSidecar,
  RoomRequest,
  SidecarPluginOptions,
} from './colyseus-types.js'

/** What Colyseus' own types don't show. */
interface Inside {
  transport?: { server?: { listening: boolean; once(event: 'listening', listener: () => void): void } }
  state?: unknown
}

const host = globalThis as {
  process?: { exit(code: number): void }
  console?: { warn(message: string): void }
}

const OPTIONS = ['client', 'idOf', 'matchMaker', 'maxDelay', 'onEnding', 'players', 'room', 'sessions']

/**
 * Makes a Colyseus server, 0.16 to 0.18, a GameServer: `ready()` once it listens, a session for each allocation, a seat
 * for each player, an end in order. Call it before `listen()`, or after.
 *
 * ```js
 * const server = new Server({ transport: new WebSocketTransport() })
 * server.define('arena', Arena)
 * sidecarPlugin(server, { matchMaker, room: { label: 'room' } })
 * await server.listen(2567)
 * ```
 *
 * @throws SidecarError `CONFIG` for a server that is none of Colyseus, and for wrong options
 */
export function sidecarPlugin(server: ColyseusServer, options: SidecarPluginOptions): ColyseusSidecar {
  const { matchMaker, maxDelay = 1000, onEnding, room } = checkOptions(options)
  const { define, listen, gracefullyShutdown } = Object(server) as ColyseusServer
  check([define, listen, gracefullyShutdown].every(Boolean), 'server', 'a Colyseus Server')
  // Another copy of the module, such as the CommonJS one beside the ES module, has no state.
  check((Object(matchMaker) as Inside).state !== undefined, 'matchMaker', 'imported from where Server is')

  const { client, release } = clientOf(options.client ?? {}, maxDelay, () => end())
  const players = options.players === false ? undefined : trackPlayers(client, options.players)
  let isClosed = false
  const playerOf = options.idOf ?? idOf
  const seats = players && createSeats(players, (player, joined) => (isClosed ? undefined : playerOf(player, joined)))

  let begin!: () => void
  const listening = new Promise<void>((resolve) => (begin = resolve))
  const rooms = createRoomSessions(matchMaker, room, listening)
  const sessions = trackSessions(client, { ...options.sessions, onSession: rooms.start })
  const unfollow = followRooms(server, matchMaker, {
    create(room) {
      seats?.guard(room)
      rooms.created(room)
    },
    join: rooms.joined,
    leave: (room, client) => seats?.free(room, client),
    dispose: rooms.disposed,
  })

  /** Closes the server, then says the last word; that in time, even where a room takes longer than there is. */
  let finished: Promise<void> | undefined
  async function finish(event?: EndingEvent): Promise<void> {
    // A room that ends now makes no place for another session.
    sessions.close()
    const closed = (async () => {
      if (event) await onEnding?.(event)
    })()
      .catch(report)
      .then(() => gracefullyShutdown.call(server, false))
    await (event ? Promise.race([closed, pause(client, (event.deadline - Date.now()) * 0.8)]) : closed)
    if (client.gameServer?.status.state !== 'Shutdown') await client.shutdown({ timeout: 5000 }).catch(report)
    players?.close()
    release()
  }
  const end = (event?: EndingEvent): Promise<void> => (finished ??= finish(event))

  const unlisten = client.on('ending', (event) => void end(event))
  // Colyseus calls it at SIGTERM, and would exit before the last word.
  server.gracefullyShutdown = async (exit = true, error) => {
    await end()
    if (exit) host.process?.exit(error ? 1 : 0)
  }

  server.listen = async (...parameters) => {
    const listened = await listen.apply(server, parameters)
    begin()
    return listened
  }
  const http = (server as Inside).transport?.server
  if (http?.listening) begin()
  else http?.once('listening', begin)

  async function ready(): Promise<void> {
    await listening
    const { status } = await client.connect({ timeout: Infinity })
    // A process that was started again while its GameServer is allocated must not undo that.
    if (!finished && status.state !== 'Allocated') await client.ready({ timeout: Infinity })
  }
  ready().catch(report)

  return {
    client,
    players,
    sessions,
    close() {
      isClosed = true
      Object.assign(server, { define, listen, gracefullyShutdown })
      unlisten()
      unfollow()
      players?.close()
      sessions.close()
      release()
    },
  }
}

function report({ code, message }: SidecarError): void {
  if (code !== 'CLOSED') host.console?.warn('gameserver-sidecar: ' + message)
}

function idOf({ auth, sessionId }: ColyseusClient, options: unknown): string {
  const { id } = Object(auth) as { id?: string | number }
  return String(id ?? (Object(options) as { playerId?: string | number }).playerId ?? sessionId)
}

function check(passed: unknown, name: string, wanted: string): void {
  if (!passed) throw new SidecarError('CONFIG', `${name} must be ${wanted}`)
}

/** Refuses a name that doesn't exist, with the one that has most of its letters. */
function checkOptions(options: SidecarPluginOptions): SidecarPluginOptions {
  for (const name of Object.keys(Object(options) as object)) {
    const misses = (known: string): number =>
      [...(known + name)].filter((letter) => !known.includes(letter) || !name.includes(letter)).length
    if (!OPTIONS.includes(name))
      throw new SidecarError('CONFIG', `There is no option "${name}"`, {
        hint: `Did you mean ${OPTIONS.sort((a, b) => misses(a) - misses(b))[0]}?`,
      })
  }
  return Object(options) as SidecarPluginOptions
}
