import { SidecarError, type ClientOptions, type EndingEvent, type SidecarClient } from '../index.js'
import { checkOptions } from '../players/checks.js'
import { trackPlayers, type Players, type PlayersOptions } from '../players/index.js'
import { createSeats, type ConnectionSeats, type PlayerId } from './connection-seats.js'
import { clientOf, pause } from './own-client.js'

/** ms for `shutdown()` where no deadline is nearer. */
const LAST_CALL = 5000

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

/** One kind of server, which ends by itself where something else than the GameServer asks for it. */
export interface Attached extends AttachedServer {
  /** The same end every time. Without an event there is no deadline. */
  end(event?: EndingEvent): Promise<void>
}

const NAMES = ['client', 'players', 'idOf', 'onEnding', 'onError']

/** Fails for options that don't exist. @param more the names of those that only this kind of server has */
export function checkNames(options: object, ...more: string[]): void {
  checkOptions(options, NAMES.concat(more))
}

/** @param frontOf called once, when seats can be taken */
export function attach<Connection>(
  options: Omit<AttachOptions<never>, 'idOf'>,
  frontOf: (seats: ConnectionSeats<Connection>, client: SidecarClient, report: (error: unknown) => void) => Front,
): Attached {
  const { players: playersOptions = {}, onEnding } = options
  let finish!: () => void
  const ended = new Promise<void>((resolve) => (finish = resolve))
  const { client, budget, endsProcess, release } = clientOf(options.client ?? {}, ended)

  const report = (error: unknown): void => {
    if ((error as SidecarError).code === 'CLOSED') return
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
    seats = createSeats(players, report)
    front = frontOf(seats, client, report)
  } catch (error) {
    players?.close()
    release()
    throw error
  }
  let ending: Promise<void> | undefined
  const end = (event?: EndingEvent): Promise<void> => (ending ??= endInOrder(event))
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
      if (!ending && !/^(Allocated|Reserved|Shutdown|Unhealthy)$/.test(status.state))
        await client.ready({ timeout: Infinity })
    } catch (error) {
      report(error)
    }
  }

  async function endInOrder(event?: EndingEvent): Promise<void> {
    seats.stop()
    const deadline = event ? Math.min(event.deadline, Date.now() + budget) : Infinity
    /** Waits for it until that share of the time that is left, or until the client is closed. */
    const within = (share: number, work: Promise<unknown>): Promise<boolean> =>
      Promise.race([work.then(() => true), pause(client, (deadline - Date.now()) * share).then(() => false)])
    try {
      const told = (async () => event && (await onEnding?.(event)))()
      if (!(await within(0.5, told))) report(new SidecarError('TIMEOUT', 'onEnding takes too long', { hint: '' }))
    } catch (cause) {
      report(new SidecarError('UNKNOWN', 'onEnding failed', { cause, hint: 'See `cause`' }))
    }
    try {
      if (!(await within(0.6, front.end()))) front.cut()
    } catch (error) {
      report(error)
    }
    try {
      // With processSignals, `shutdown()` and the rest come after this.
      if (!endsProcess() && !/^(Shutdown|Unhealthy)$/.test(client.gameServer?.status.state ?? ''))
        await client.shutdown({ timeout: Math.max(1, Math.min(deadline - Date.now(), LAST_CALL)) })
    } catch (error) {
      // The sidecar of a GameServer that is deleted may be gone already.
      if (event?.reason !== 'deleted') report(error)
    }
    close()
  }

  function close(): void {
    forget.splice(0).forEach((undo) => undo())
    front.detach()
    players?.close()
    release()
    finish()
  }

  return { client, players, ended, idOf: (connection) => seats.idOf(connection as Connection), end, close }
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
