import {
  createClient,
  SidecarError,
  type ClientOptions,
  type EndingEvent,
  type ProcessSignalOptions,
  type SidecarClient,
} from '../index.js'
import { trackPlayers, type Players, type PlayersOptions } from '../players/index.js'
import { meant } from '../protocol/nearest.js'
import { createSeats, type ConnectionSeats, type PlayerId } from './connection-seats.js'

/** ms: the time that `processSignals` gives by itself. */
const SIGNAL_TIMEOUT = 10_000

export interface AttachOptions<Connection> {
  /**
   * A client, which its owner closes, or options for one that is closed at the end. Default: one that sends beats and
   * ends in order when the process is told to stop.
   */
  client?: SidecarClient | ClientOptions
  /** Where seats are counted; default: the list `players`. false: nowhere */
  players?: PlayersOptions | false
  /**
   * Who comes: an id takes a seat, null comes in without one, undefined is refused. What it throws is told to `onError`,
   * and the connection is refused.
   */
  idOf?(connection: Connection): PlayerId | Promise<PlayerId>
  /** Awaited, for half of the time until the deadline, before players are disconnected: save, tell them. */
  onEnding?(event: EndingEvent): void | Promise<void>
  /** Told what belongs to no call; default: `console.error`. What it throws is ignored. */
  onError?(error: SidecarError): void
}

export interface AttachedServer {
  readonly client: SidecarClient
  /** undefined with `players: false` */
  readonly players: Players | undefined
  /** Resolves when the server has ended in order, or after `close()`. Give it to `processSignals` of your own client. */
  readonly ended: Promise<void>
  /** Who that is; undefined for one without a seat and for one who is gone. */
  idOf(connection: object): string | undefined
  /** Leaves the server as it was, running, and closes the client if it was made here. The list stays as it is. */
  close(): void
}

/** What one kind of server is for the rest. */
export interface Front {
  /** Calls back once it listens, maybe at once. Returns what forgets it. */
  whenListening(tell: () => void): () => void
  /** Says goodbye to all players and closes the server; resolves once everybody is gone. */
  end(): Promise<unknown>
  /** Cuts what is left. */
  cut(): void
  detach(): void
}

const NAMES = ['client', 'players', 'idOf', 'onEnding', 'onError']

/** @param more the names of options that only this kind of server has */
export function attach<Connection>(
  options: AttachOptions<Connection>,
  more: string | undefined,
  defaultId: (connection: Connection) => string,
  frontOf: (seats: ConnectionSeats<Connection>) => Front,
): AttachedServer {
  checkNames(options, NAMES.concat(more ?? []))
  const { players: playersOptions = {}, onEnding, idOf = defaultId } = options
  const source = options.client ?? {}
  const isOurs = !('getGameServer' in Object(source))
  let hasSignal = false
  let budget = Infinity
  let finish!: () => void
  const ended = new Promise<void>((resolve) => (finish = resolve))
  const client = isOurs ? createOwnClient(source as ClientOptions) : (source as SidecarClient)

  function createOwnClient(given: ClientOptions): SidecarClient {
    const { processSignals = true } = given
    if (!processSignals) return createClient({ autoHealth: true, ...given })
    const { onSignal, timeout = SIGNAL_TIMEOUT } = processSignals as ProcessSignalOptions
    budget = timeout
    return createClient({
      autoHealth: true,
      ...given,
      processSignals: {
        timeout,
        async onSignal(signal) {
          hasSignal = true
          if (onSignal) await onSignal(signal)
          await ended
        },
      },
    })
  }

  const report = (error: unknown): void => {
    try {
      if (options.onError) options.onError(error as SidecarError)
      else (globalThis as { console?: { error(error: unknown): void } }).console?.error(error)
    } catch {
      // A server doesn't end because its log does.
    }
  }

  let players: Players | undefined
  let front: Front
  let seats: ConnectionSeats<Connection>
  try {
    players = playersOptions ? trackPlayers(client, playersOptions) : undefined
    seats = createSeats(players, idOf, report)
    front = frontOf(seats)
  } catch (error) {
    if (isOurs) client.close()
    throw error
  }
  const forget = [
    front.whenListening(() => void makeReady()),
    client.on('ending', (event) => void end(event)),
    // Without a listener, they go to the console.
    players && options.onError ? players.on('error', report) : () => {},
  ]

  async function makeReady(): Promise<void> {
    try {
      const { status } = await client.connect({ timeout: Infinity })
      // A server that was allocated before this process was started would lose its players.
      if (!/^(Allocated|Reserved|Shutdown|Unhealthy)$/.test(status.state)) await client.ready({ timeout: Infinity })
    } catch (error) {
      if ((error as SidecarError).code !== 'CLOSED') report(error)
    }
  }

  async function end(event: EndingEvent): Promise<void> {
    seats.stop()
    const deadline = Math.min(event.deadline, Date.now() + budget)
    /** Waits for it until that share of the time that is left, or until the client is closed. */
    const within = async (share: number, work: Promise<unknown>): Promise<boolean> => {
      const timeout = Math.max(1, (deadline - Date.now()) * share)
      const over = client.waitFor(() => false, { timeout }).then(Boolean, () => false)
      return Promise.race([work.then(() => true), over])
    }
    try {
      const told = (async () => onEnding && (await onEnding(event)))()
      if (!(await within(0.5, told))) report(new SidecarError('TIMEOUT', 'onEnding takes too long', { hint: '' }))
    } catch (cause) {
      report(new SidecarError('UNKNOWN', 'onEnding failed', { cause, hint: 'See `cause`' }))
    }
    try {
      if (!(await within(0.6, front.end()))) front.cut()
      const { gameServer } = client
      // With processSignals, `shutdown()` and the rest come after this.
      if (!hasSignal && !/^(Shutdown|Unhealthy)$/.test(gameServer ? gameServer.status.state : ''))
        await client.shutdown({ timeout: Math.max(1, deadline - Date.now()) })
    } catch (error) {
      // The sidecar of a GameServer that is deleted may be gone already.
      if (event.reason !== 'deleted') report(error)
    }
    close()
  }

  function close(): void {
    forget.splice(0).forEach((undo) => undo())
    front.detach()
    if (players) players.close()
    if (isOurs && !hasSignal) client.close()
    finish()
  }

  return { client, players, ended, idOf: (connection) => seats.idOf(connection as Connection), close }
}

/** @throws SidecarError `CONFIG` */
function checkNames(given: object, known: readonly string[]): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue
    const best = meant(name, known)
    const hint = best ? `Did you mean ${best}?` : 'Known: ' + known.join(', ')
    throw new SidecarError('CONFIG', `There is no option "${name}"`, { hint })
  }
}

/** The part of `http.Server` that is used. */
export interface HttpServerLike {
  readonly listening: boolean
  once(event: 'listening', listener: () => void): unknown
  removeListener(event: 'listening', listener: () => void): unknown
  close(done: () => void): unknown
  emit(...values: never[]): unknown
  closeIdleConnections(): void
  closeAllConnections(): void
}

export function whenListening(
  server: Pick<HttpServerLike, 'once' | 'removeListener'>,
  isListening: boolean,
  tell: () => void,
): () => void {
  if (isListening) tell()
  else server.once('listening', tell)
  return () => void server.removeListener('listening', tell)
}

/** Names what was given in place of a server. */
export function notAServer(wanted: string, given: unknown, hint?: string): SidecarError {
  const kind = given ? given.constructor : undefined
  return new SidecarError('CONFIG', `server must be ${wanted}; got ${kind ? kind.name : String(given)}`, { hint })
}

export function randomId(): string {
  return (globalThis as unknown as { crypto: { randomUUID(): string } }).crypto.randomUUID()
}

type Method = (...values: never[]) => unknown

/** Replaces a method of one object. Returns what puts back the one before. */
export function override<Name extends string>(
  target: { [name in Name]: Method },
  name: Name,
  replace: (before: (...values: unknown[]) => unknown) => (this: unknown, ...values: never[]) => unknown,
): () => void {
  const wasOwn = Object.prototype.hasOwnProperty.call(target, name)
  const before = target[name]
  const replacement = replace(before as (...values: unknown[]) => unknown)
  target[name] = replacement
  return () => {
    // Somebody else may have replaced it since.
    if (target[name] !== replacement) return
    if (wasOwn) target[name] = before
    else delete (target as { [name in Name]?: Method })[name]
  }
}
