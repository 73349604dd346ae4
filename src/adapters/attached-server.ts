import {
  createClient,
  internals,
  SidecarError,
  type ClientOptions,
  type EndingEvent,
  type ProcessSignalOptions,
  type SidecarClient,
} from '../index.js'
import { endWhenEmpty, pause, type EndWhenEmptyOptions } from '../players/end-when-empty.js'
import { trackPlayers, type Players, type PlayersOptions } from '../players/index.js'
import { createSeats, type ConnectionSeats, type PlayerId } from './connection-seats.js'

/** ms for `shutdown()` where no deadline is nearer. */
const LAST_CALL = 5000

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
  /**
   * What becomes of a player who comes while the GameServer isn't allocated: `refuse`d with `UNAVAILABLE`, after 3 s in
   * which the allocation may become known; or the first one `allocate`s the GameServer. Default: comes in all the same
   */
  unallocated?: 'refuse' | 'allocate'
  /** End, by `shutdown()`, an Allocated server whose players have all left, or never come. Default false */
  endWhenEmpty?: boolean | EndWhenEmptyOptions
  /** End the process after the end in order. Default false: it ends once nothing keeps it alive. */
  exit?: boolean
  /** Awaited, for half of the time until the deadline, before players are disconnected: save, tell them. */
  onEnding?(event: EndingEvent): void | Promise<void>
  /** Told what belongs to no call; default: `console.error`. What it throws is ignored. */
  onError?(error: SidecarError): void
}

export interface AttachedServer {
  readonly client: SidecarClient
  /** undefined with `players: false` */
  readonly players: Players | undefined
  /**
   * Resolves when the server has ended in order, `shutdown()` included, or after `close()`. Give it to `processSignals`
   * of your own client.
   */
  readonly ended: Promise<void>
  /** Who that is; undefined for one without a seat and for one who is gone. */
  idOf(connection: object): string | undefined
  /**
   * Seats a player who logs in by an event: the connection came in without a seat, since `idOf` gave null, or changes to
   * this one. null frees its seat. The connection stays open, also where this rejects.
   *
   * @throws SidecarError as `join()` of players does, `UNAVAILABLE` by `unallocated`, `CLOSED` for a connection that is gone
   */
  seat(connection: object, id: string | null): Promise<void>
  /** Leaves the server as it was, running, and closes the client if it was made here. The list stays as it is. */
  close(): void
}

/** What all kinds of server share, for the part that knows one kind. */
export interface Desk<Connection> {
  readonly client: SidecarClient
  readonly seats: ConnectionSeats<Connection>
  /** Calls `ready()` on the GameServer, once: the server listens. */
  listens(): unknown
  /** Ends in order where something else than the GameServer asks for it. The same end every time. */
  end(): Promise<void>
  /** Undone when the server is left alone, the last one first. */
  undo(run: () => unknown): void
}

/** How one kind of server ends. */
export interface Front {
  /** Says goodbye to all players and closes the server; resolves once everybody is gone. */
  end(): Promise<unknown>
  /** Cuts what is left. */
  cut?(): void
}

const NAMES = ['client', 'players', 'idOf', 'unallocated', 'endWhenEmpty', 'exit', 'onEnding', 'onError']

/**
 * @param names the options that only this kind of server has
 * @param open called once, when seats can be taken
 * @throws SidecarError `CONFIG` where an option doesn't exist or can't be right
 */
export function attach<Connection>(
  options: Omit<AttachOptions<never>, 'idOf'>,
  names: readonly string[],
  open: (desk: Desk<Connection>) => Front,
): AttachedServer {
  const { players: seating = {}, unallocated, endWhenEmpty: emptiness } = options
  const { check, checkNames } = internals
  checkNames(options, NAMES.concat(names), 'option')
  check(!unallocated || /^(refuse|allocate)$/.test(unallocated), 'unallocated', unallocated, 'refuse or allocate')
  let finish!: () => void
  const ended = new Promise<void>((resolve) => (finish = resolve))
  const { client, budget, release } = clientOf(options.client ?? {}, ended)
  const undo: Undo[] = [release]
  const report = reporter(options)
  let ending: Promise<void> | undefined
  let isReady = false
  let players: Players | undefined
  let seats!: ConnectionSeats<Connection>
  let front!: Front
  try {
    players = seating ? trackPlayers(client, seating) : undefined
    undo.push(players?.close)
    // Without a listener, errors of the players go to the console.
    if (options.onError) undo.push(players?.on('error', report))
    seats = createSeats({ client, players, unallocated, report })
    undo.push(() => {
      if (seats.door === 'open') seats.door = 'left'
    })
    front = open({ client, seats, listens: makeReady, end, undo: (run) => undo.push(run) })
    if (emptiness)
      endWhenEmpty(client, emptiness, seating ? seating.noShow : undefined, {
        isEmpty: () => seats.isEmpty() && !players?.expected[0],
        isOver: () => ending,
        onJoined: players && ((listener) => players!.on('joined', listener)),
        report,
      })
  } catch (error) {
    close()
    throw error
  }
  undo.push(client.on('ending', (event) => void end(event)))

  async function makeReady(): Promise<void> {
    if (isReady) return
    isReady = true
    try {
      const { status } = await client.connect({ timeout: Infinity })
      // A server that was allocated before this process was started would lose its players.
      if (!ending && !/^(Allocated|Reserved|Shutdown|Unhealthy)$/.test(status.state))
        await client.ready({ timeout: Infinity })
    } catch (error) {
      report(error)
    }
  }

  function end(event?: EndingEvent): Promise<void> {
    seats.door = 'closed'
    ending ??= endInOrder(client, front, options, { event, budget, report }).then(() => {
      close()
      // After those who were told of the end.
      if (options.exit) void ended.then(() => process.exit())
    })
    return ending
  }

  function close(): void {
    ending ??= ended
    while (undo.length) undo.pop()?.()
    finish()
  }

  const { idOf, seat } = seats as ConnectionSeats<object>
  return { client, players, ended, idOf, seat, close }
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
      // A server doesn't end because its log does.
    }
  }
}

/** Players first, then the server, then the GameServer: each has a share of the time that is left. */
async function endInOrder(
  client: SidecarClient,
  front: Front,
  { onEnding }: Pick<AttachOptions<never>, 'onEnding'>,
  { event, budget, report }: { event: EndingEvent | undefined; budget: number; report: Report },
): Promise<void> {
  // Without an event, there is no deadline.
  const deadline = event ? Math.min(event.deadline, Date.now() + budget) : Infinity
  /** Waits for it until that share of the time that is left, or until the client is closed. */
  const within = (share: number, work: Promise<unknown>): Promise<boolean> =>
    Promise.race([work.then(() => true), pause(client, (deadline - Date.now()) * share).then(() => false)])
  try {
    const told = (async () => event && (await onEnding?.(event)))()
    if (!(await within(0.5, told))) report(new SidecarError('TIMEOUT', 'onEnding is slow'))
  } catch (cause) {
    report(new SidecarError('UNKNOWN', 'onEnding failed', { cause }))
  }
  try {
    if (!(await within(0.6, front.end()))) front.cut?.()
  } catch (error) {
    report(error)
  }
  try {
    if (!/^(Shutdown|Unhealthy)$/.test(client.gameServer?.status.state ?? ''))
      await client.shutdown({ timeout: Math.max(1, Math.min(deadline - Date.now(), LAST_CALL)) })
  } catch (error) {
    // The sidecar of a pod that is deleted may be gone already.
    if (!event || !/^(deleted|signal)$/.test(event.reason)) report(error)
  }
}

/** @param ended what a signal waits for */
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
            // It says shutdown(), and closes the client, which has nothing more to send then.
            await ended
          },
        },
      })
  return {
    client,
    /** ms that the end may take */
    budget: isGiven || !processSignals ? Infinity : timeout,
    release: () => void (isGiven || client.close()),
  }
}
