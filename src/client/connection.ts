import type { GameServer } from '../protocol/game-server.js'
import { isPassing, type SidecarError } from './errors.js'
import { type LoggerLike, warn } from './globals.js'
import type { Access, Call, Reply } from './request.js'
import type { State } from './state.js'
import { follow, onAbort, type Task, type Time } from './time.js'
import type { ConnectionEvent, ConnectionState, Transport } from './types.js'

/** ms after which a sidecar that has never answered is worth a warning. */
const ABSENCE_WARNING = 2000
/** ms for which a sidecar must be there before the backoff starts again: a flapping sidecar keeps its delays. */
const STABLE_AFTER = 5000
/** ms for a GET that only asks whether the sidecar is there: a dead one must be noticed within 15 s. */
const PROBE_TIMEOUT = 4000

export type Connection = ReturnType<typeof createConnection>

/**
 * The only owner of the connection's state and transport, of the backoff, and of the search for a sidecar that doesn't
 * answer.
 *
 * @param logger is warned once, of a sidecar that is absent or refuses this page
 */
export function createConnection(access: Access, time: Time, state: State, logger: LoggerLike | undefined) {
  /** Since when the sidecar has been there. */
  let upSince: number | undefined
  /** Failed dials since the last stable connection. Starts at -1, so the first loss is redialled without delay. */
  let failures = -1
  /** Each ends one wait for the sidecar, and with an error where a later attempt can't succeed. */
  const waiting = new Set<(error?: SidecarError) => void>()
  /** Runs as long as anybody waits. */
  let search: Task | undefined
  let searchAgainAt = 0
  let cancelWarning: (() => void) | undefined
  let hasWarned = false
  const warnOnce = (message: string): void => {
    if (!hasWarned) warn(logger, message)
    hasWarned = true
  }

  const connection = {
    access,
    time,
    /** As `connection` events and `client.status` tell it. */
    current: { state: 'idle', transport: undefined, reason: undefined } as ConnectionEvent,
    /** Whether the last exchange got an answer; undefined before the first exchange. */
    isUp: undefined as boolean | undefined,
    wasUp: false,
    /** Whether a watch is kept, connected or not. While it is, only the watch sets the state of the connection. */
    isWatched: false,

    /** The GameServer that the watch shows, if the watch is connected. */
    watched: () => (connection.current.transport ? state.last : undefined),

    set(next: ConnectionState, transport?: Transport, reason?: string): void {
      const previous = connection.current
      if (previous.state === 'closed') return
      connection.current = { state: next, transport, reason }
      if (next === 'connected') upSince = upSince ?? time.now()
      if (previous.state !== next || previous.transport !== transport) state.emit('connection', connection.current)
    },

    lost: (reason?: string) => connection.set(state.last ? 'reconnecting' : 'connecting', undefined, reason),

    /** Notes whether an exchange found the sidecar. */
    note({ answered, error }: Pick<Reply, 'answered' | 'error'>): void {
      if (answered === undefined) return
      const isNew = connection.isUp !== answered
      connection.isUp = answered
      if (answered) connection.wasUp = true
      if (!connection.isWatched && (isNew || !answered)) {
        if (answered) connection.set('connected')
        else connection.lost(error?.summary)
      }
      if (!answered) return
      if (cancelWarning) cancelWarning()
      cancelWarning = () => {}
      waiting.forEach((end) => end())
    },

    /** Counts a failure. Returns the ms until the next dial: none after the first loss of a connection that worked. */
    failed(retryAfter = 0, hasWorked = false): number {
      if (upSince !== undefined && time.now() - upSince > STABLE_AFTER) failures = -1
      upSince = undefined
      const attempt = hasWorked ? failures : Math.max(failures, 0)
      failures = attempt + 1
      return attempt < 0 ? 0 : Math.max(retryAfter, time.backoff(attempt))
    },

    /** Runs one attempt and notes its outcome. Never rejects. */
    async ask(task: Task, call: Call): Promise<Reply> {
      const reply = await access.request(task, call)
      connection.note(reply)
      // While a watch is kept, only the first read is taken: the watch may have shown a later state already.
      if (reply.body && call.operation === 'getGameServer' && !(state.last && connection.isWatched))
        state.offer(reply.body as unknown as GameServer)
      return reply
    },

    /** Reads the GameServer, to find out whether the sidecar answers. */
    probe: (task: Task) => connection.ask(task, { operation: 'getGameServer', timeout: PROBE_TIMEOUT }),

    /** Resolves when the sidecar answers: at once, or after a search that all waiting callers share. */
    whenUp: async (task: Task): Promise<unknown> =>
      connection.isUp ||
      time.wait(task, (resolve, reject) => {
        const end = (error?: SidecarError): void => (error ? reject(error) : resolve(undefined))
        waiting.add(end)
        if (!search || search.aborted) startSearch()
        return () => {
          waiting.delete(end)
          if (!waiting.size) search!.abort(undefined)
        }
      }),
  }

  function startSearch(): void {
    cancelWarning =
      cancelWarning ?? time.after(ABSENCE_WARNING, () => warnOnce(`no answer from ${access.baseUrl} yet, still trying`))
    // If only reads are answered, every probe succeeds and the watch is lost again; so count each loss as a failure.
    if (connection.wasUp) searchAgainAt = Math.max(searchAgainAt, time.now() + connection.failed(0, true))
    look((search = follow(time.life))).catch(() => {})
  }

  /** Ends with its task, which the last wait aborts. */
  async function look(task: Task): Promise<void> {
    for (;;) {
      const rest = searchAgainAt - time.now()
      if (rest > 0) await time.sleep(task, rest)
      const { error, unsent, retryAfter } = await connection.probe(task)
      if (!error || task.aborted) return
      searchAgainAt = time.now() + connection.failed(retryAfter)
      if (error.code === 'CROSS_ORIGIN') warnOnce(error.message)
      // The sidecar of a server that ends may end before the game.
      if (!isPassing(error) || (unsent && state.ending)) waiting.forEach((end) => end(error))
    }
  }

  onAbort(time.life, () => connection.set('closed'))
  return connection
}
