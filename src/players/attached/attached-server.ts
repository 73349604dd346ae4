import {
  createClient,
  internals,
  SidecarError,
  type ClientOptions,
  type EndingEvent,
  type ProcessSignalOptions,
  type SidecarClient,
} from '../../index.js'
import { isNetwork, trustProxies } from '../../protocol/networks.js'
import { endWhenEmpty, type EndWhenEmptyOptions } from '../tracking/end-when-empty.js'
import { trackPlayers, type Players, type PlayersOptions } from '../index.js'
import { pause } from './hooks.js'
import { createSeats, type ConnectionSeats, type PlayerId } from './connection-seats.js'

/** Time limit of `shutdown()` in ms, unless the deadline is nearer. */
const LAST_CALL = 5000

/** ms that a pod has by default from SIGTERM on. */
const GRACE = 30_000

/** ms; the default that `processSignals` grants. */
const SIGNAL_TIMEOUT = 10_000

export interface AttachOptions<Connection> {
  /**
   * A client, which its owner closes, or options for a client that the adapter closes at the end. By default, the
   * adapter creates a client that sends beats and shuts down gracefully on a stop signal.
   */
  client?: SidecarClient | ClientOptions
  /** Where seats are counted; default: the list `players`. `false` counts no seats. */
  players?: PlayersOptions | false
  /**
   * Identifies a connection. An id takes a seat, null admits the connection without a seat, undefined refuses it. If
   * `idOf` throws, `onError` gets the error and the connection is refused.
   */
  idOf?(connection: Connection): PlayerId | Promise<PlayerId>
  /**
   * What happens to a player who connects before the GameServer is allocated. `refuse`: waits up to 3 s for the watch
   * to show an allocation, then rejects the player with `UNAVAILABLE`. `allocate`: the first player allocates the
   * GameServer. By default the player is admitted.
   */
  unallocated?: 'refuse' | 'allocate'
  /**
   * Networks of the proxies in front, such as `['10.0.0.0/8']`. From them, the last address in `X-Forwarded-For` that
   * isn't one of theirs is the player's. Default: none
   */
  trustProxy?: readonly string[]
  /** Shut down an Allocated server once all players have left, or none has come. Default false */
  endWhenEmpty?: boolean | EndWhenEmptyOptions
  /** Awaited before `ready()`, for a game that loads after its server listens: physics, maps. */
  ready?: PromiseLike<unknown>
  /** Exit the process after the graceful shutdown. By default the process exits once nothing keeps it alive. */
  exit?: boolean
  /**
   * Awaited before players are disconnected, for at most half of the time until the deadline: save, notify players. The
   * process doesn't exit before the returned promise settles or the deadline comes.
   */
  onEnding?(event: EndingEvent): unknown
  /** Gets errors that belong to no call; default: `console.error`. What `onError` throws is ignored. */
  onError?(error: SidecarError): void
}

export interface AttachedServer {
  readonly client: SidecarClient
  /** The tracked players; undefined with `players: false`. */
  readonly players: Players | undefined
  /** Resolves when the graceful shutdown is complete, including `shutdown()`, or after `close()`. */
  readonly ended: Promise<void>
  /** The player's id; undefined for a connection that has no seat or is closed. */
  idOf(connection: object): string | undefined
  /**
   * Seats a player who logs in after connecting, or moves the connection to another seat. null frees its seat. The
   * connection stays open even if `seat()` rejects.
   *
   * @throws SidecarError as `join()` of players does, `UNAVAILABLE` by `unallocated`, `CLOSED` for a closed connection
   */
  seat(connection: object, id: string | null): Promise<void>
  /** Detaches from the running server, and closes the client if the adapter created it. The list isn't changed. */
  close(): void
}

/** A server that sees each player's request. */
export interface AttachedSocketServer extends AttachedServer {
  /** The player's address, by `trustProxy`; empty for a connection that never reached `idOf`. */
  addressOf(connection: object): string
}

/** What the common part gives to the part for one kind of server. */
export interface AttachContext<Connection> {
  readonly client: SidecarClient
  readonly seats: ConnectionSeats<Connection>
  /** Reads the player's address by `trustProxy`, from the peer's address and `X-Forwarded-For`, for `addressOf()`. */
  keepAddress(connection: object, ...from: Parameters<ReturnType<typeof trustProxies>>): unknown
  /** Call when the server listens. Calls `ready()` on the GameServer once. */
  onListening(): unknown
  /** Starts the graceful shutdown when the server's framework got the signal to stop. Idempotent. */
  endBySignal(): Promise<void>
  /** Cleanups that run on detach, in reverse order. */
  undo(run: () => unknown): void
}

/** How one kind of server ends. */
export interface ServerEnd {
  /** Says goodbye to all players and closes the server; resolves once every connection is closed. */
  end(): Promise<unknown>
  /** Cuts the connections that are left. */
  cut?(): void
}

const NAMES = ['client', 'players', 'idOf', 'unallocated', 'endWhenEmpty', 'ready', 'exit', 'onEnding', 'onError']

/**
 * @param names the options that only this kind of server has
 * @param open called once, when seats can be taken
 * @throws SidecarError `CONFIG` for an unknown or invalid option
 */
export function attach<Connection>(
  options: Omit<AttachOptions<never>, 'idOf'>,
  names: readonly string[],
  open: (context: AttachContext<Connection>) => ServerEnd,
): AttachedSocketServer {
  const { players: seating = {}, unallocated, endWhenEmpty: emptiness, ready, trustProxy = [] } = options
  internals.checkNames(options, NAMES.concat(names), 'option')
  checkValues(options)
  // Its rejection is reported once the server listens.
  ready?.then(undefined, () => {})
  const addressFrom = trustProxies(trustProxy)
  const addresses = new WeakMap<object, string>()
  let finish!: () => void
  const ended = new Promise<void>((resolve) => (finish = resolve))
  const { client, budget, release } = clientOf(options.client ?? {}, ended)
  const undo: Undo[] = [release]
  const report = reporter(options)
  let ending: Promise<void> | undefined
  let isReady = false
  let players: Players | undefined
  let seats!: ConnectionSeats<Connection>
  let server!: ServerEnd
  try {
    players = seating ? trackPlayers(client, seating) : undefined
    undo.push(players?.close)
    // Without a listener, errors of the players go to the console.
    if (options.onError) undo.push(players?.on('error', report))
    seats = createSeats({ client, players, unallocated, report })
    undo.push(() => {
      if (seats.admission === 'open') seats.admission = 'detached'
    })
    server = open({
      ...{ client, seats, onListening: makeReady, endBySignal },
      keepAddress: (connection, ...from) => addresses.set(connection, addressFrom(...from)),
      undo: (run) => undo.push(run),
    })
    if (emptiness) {
      const joined = endWhenEmpty(client, emptiness, (seating ? seating.noShow : undefined) ?? 60_000, {
        isEmpty: () => seats.isEmpty() && !players?.expected[0],
        isOver: () => ending,
        report,
      })
      undo.push(players?.on('joined', joined))
    }
  } catch (error) {
    close()
    throw error
  }
  // The client waits for the returned promise before it exits.
  undo.push(client.on('ending', (event): unknown => end(event)))

  function makeReady(): void {
    if (!isReady) becomeReady(client, ready, () => !!ending).catch(report)
    isReady = true
  }

  function endBySignal(): Promise<void> {
    return end({ reason: 'signal', deadline: Date.now() + GRACE, gameServer: client.gameServer })
  }

  function end(event: EndingEvent): Promise<void> {
    seats.admission = 'closed'
    const deadline = Math.min(event.deadline, Date.now() + budget)
    ending ??= endInOrder(client, server, options, { event, deadline, report }).then(() => {
      close()
      // A client that handles signals exits itself, once the listeners of `ending` have saved. Else, exit after the
      // listeners of `ended`.
      const isLeftToClient = event.reason === 'signal' && budget < Infinity
      if (options.exit && !isLeftToClient) void ended.then(() => process.exit())
    })
    return ending
  }

  function close(): void {
    ending ??= ended
    while (undo.length) undo.pop()?.()
    finish()
  }

  const { idOf, seat } = seats as ConnectionSeats<object>
  return { client, players, ended, idOf, seat, addressOf: (connection) => addresses.get(connection) ?? '', close }
}

function checkValues({ unallocated, trustProxy = [], ready }: Omit<AttachOptions<never>, 'idOf'>): void {
  const { check } = internals
  check(!unallocated || /^(refuse|allocate)$/.test(unallocated), 'unallocated', unallocated, 'refuse or allocate')
  const isList = Array.isArray(trustProxy) && trustProxy.every(isNetwork)
  check(isList, 'trustProxy', trustProxy, 'a list of networks such as 10.0.0.0/8')
  check(!ready || typeof ready.then === 'function', 'ready', ready, 'a promise')
}

/** Calls `ready()` once the sidecar is there and the game has loaded. */
async function becomeReady(
  client: SidecarClient,
  loaded: PromiseLike<unknown> | undefined,
  isEnding: () => boolean,
): Promise<void> {
  const { status } = await client.connect({ timeout: Infinity })
  await Promise.resolve(loaded).catch((cause: unknown) => {
    throw new SidecarError('UNKNOWN', "The option ready rejected, so the GameServer isn't Ready", { cause })
  })
  const { state } = client.gameServer?.status ?? status
  // ready() would drop the allocation, and the players, of a server that was allocated before this process started.
  const isOver = isEnding() || /^(Allocated|Reserved|Shutdown|Unhealthy)$/.test(state)
  if (!isOver) await client.ready({ timeout: Infinity })
}

type Report = (error: unknown) => void
type Undo = (() => unknown) | undefined

function reporter({ onError }: Pick<AttachOptions<never>, 'onError'>): Report {
  return (error) => {
    if ((error as SidecarError).code === 'CLOSED') return
    try {
      if (onError) onError(error as SidecarError)
      else console.error(error)
    } catch {
      // A logger that throws must not end the server.
    }
  }
}

/** Ends the players first, then the server, then the GameServer. Each step gets a share of the time that is left. */
async function endInOrder(
  client: SidecarClient,
  server: ServerEnd,
  { onEnding }: Pick<AttachOptions<never>, 'onEnding'>,
  { event, deadline, report }: { event: EndingEvent; deadline: number; report: Report },
): Promise<void> {
  /** Awaits a promise for at most that share of the time that is left, or until the client is closed. */
  const within = (share: number, work: Promise<unknown>): Promise<boolean> =>
    Promise.race([work.then(() => true), pause(client, (deadline - Date.now()) * share).then(() => false)])
  const saved = (async () => onEnding?.(event))().catch((cause: unknown) =>
    report(new SidecarError('UNKNOWN', 'onEnding failed', { cause })),
  )
  if (!(await within(0.5, saved))) report(new SidecarError('TIMEOUT', 'onEnding is slow'))
  try {
    if (!(await within(0.6, server.end()))) server.cut?.()
  } catch (error) {
    report(error)
  }
  // shutdown() makes the platform delete the pod, so it waits for what is still being saved.
  await within(0.5, saved)
  try {
    if (!/^(Shutdown|Unhealthy)$/.test(client.gameServer?.status.state ?? ''))
      await client.shutdown({ timeout: Math.max(1, Math.min(deadline - Date.now(), LAST_CALL)) })
  } catch (error) {
    // When the pod is being deleted, the sidecar may be gone already.
    if (!/^(deleted|signal)$/.test(event.reason)) report(error)
  }
}

/** @param ended the promise that a signal waits for */
function clientOf(given: SidecarClient | ClientOptions, ended: Promise<void>) {
  const { processSignals = true } = given as ClientOptions
  const { onSignal, timeout = SIGNAL_TIMEOUT } = Object(processSignals) as ProcessSignalOptions
  const isGiven = 'getGameServer' in Object(given)
  const client = isGiven
    ? (given as SidecarClient)
    : createClient({
        autoHealth: true,
        ...(given as ClientOptions),
        processSignals: processSignals && {
          timeout,
          async onSignal(signal) {
            await onSignal?.(signal)
            // The shutdown calls shutdown() and closes the client, which has nothing more to send then.
            await ended
          },
        },
      })
  return {
    client,
    /** Time limit of the graceful shutdown in ms */
    budget: isGiven || !processSignals ? Infinity : timeout,
    release: () => void (isGiven || client.close()),
  }
}
