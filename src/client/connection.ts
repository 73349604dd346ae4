import type { GameServer } from '../protocol/game-server.js'
import type { Reply } from './answers.js'
import { isPassing, type SidecarError } from './errors.js'
import type { Access, Call } from './request.js'
import type { State } from './state.js'
import { follow, onAbort, type Task, type Time } from './time.js'
import type { ConnectionEvent, ConnectionState, Transport } from './types.js'

/** ms after which a sidecar that has never answered is worth a warning. */
const ABSENCE_WARNING = 2000
/** ms for which a sidecar must be there before the backoff starts again: a flapping sidecar keeps its delays. */
const STABLE_AFTER = 5000
/** ms for a GET that only asks whether the sidecar is there: a dead one must be noticed within 15 s. */
const PROBE_TIMEOUT = 4000

/** The only owner of the connection's state and transport, and of the backoff. */
export interface Connection {
  readonly access: Access
  readonly time: Time
  /** As `connection` events and `client.status` tell it. */
  readonly current: ConnectionEvent
  /** Whether the last exchange got an answer; undefined before the first exchange. */
  readonly isUp: boolean | undefined
  /** Whether it was ever up. */
  readonly wasUp: boolean
  /** Whether a watch is kept, connected or not. While it is, only the watch sets the state of the connection. */
  isWatched: boolean
  /** The GameServer that the watch shows, if the watch is connected. */
  watched(): GameServer | undefined
  set(state: ConnectionState, transport?: Transport, reason?: string): void
  /** Sets `reconnecting` if a GameServer was seen before, else `connecting`. */
  lost(reason?: string): void
  /** Notes whether an exchange found the sidecar. */
  note(reply: Pick<Reply, 'answered' | 'error'>): void
  /** Counts a failure. Returns the ms until the next dial: none after the first loss of a connection that worked. */
  failed(retryAfter?: number, hasWorked?: boolean): number
  /** Runs one attempt and notes its outcome. */
  ask(task: Task, call: Call): Promise<Reply>
  /** Reads the GameServer, to find out whether the sidecar answers. */
  probe(task: Task): Promise<Reply>
  /** Resolves when the sidecar answers: at once, or after a search that all waiting callers share. */
  whenUp(task: Task): Promise<unknown>
}

/**
 * @param warn called when a sidecar that has never answered is still silent 2 s
 * after the first request, and with the reason whenever the sidecar refuses this page
 */
export function createConnection(
  access: Access,
  time: Time,
  state: State,
  warn: (reason?: SidecarError) => void,
): Connection {
  /** Since when the sidecar has been there. */
  let upSince: number | undefined
  /** Dials that have failed, until the sidecar was there for a while; -1 leaves the first loss without a delay. */
  let failures = -1

  const connection: Connection & { isUp: boolean | undefined; wasUp: boolean; current: ConnectionEvent } = {
    access,
    time,
    current: { state: 'idle', transport: undefined, reason: undefined },
    isUp: undefined,
    wasUp: false,
    isWatched: false,

    watched: () => (connection.current.transport ? state.last : undefined),

    set(next, transport, reason) {
      const previous = connection.current
      if (previous.state === 'closed') return
      connection.current = { state: next, transport, reason }
      if (next === 'connected') upSince = upSince ?? time.now()
      if (previous.state !== next || previous.transport !== transport) state.emit('connection', connection.current)
    },

    lost: (reason) => connection.set(state.last ? 'reconnecting' : 'connecting', undefined, reason),

    note({ answered, error }) {
      if (answered === undefined) return
      const isNew = connection.isUp !== answered
      connection.isUp = answered
      if (answered) connection.wasUp = true
      if (!connection.isWatched && (isNew || !answered)) {
        if (answered) connection.set('connected')
        else connection.lost(error?.summary)
      }
      if (answered) search.found()
    },

    failed(retryAfter = 0, hasWorked = false) {
      if (upSince !== undefined && time.now() - upSince > STABLE_AFTER) failures = -1
      upSince = undefined
      const attempt = hasWorked ? failures : Math.max(failures, 0)
      failures = attempt + 1
      return attempt < 0 ? 0 : Math.max(retryAfter, time.backoff(attempt))
    },

    async ask(task, call) {
      const reply = await access.request(task, call)
      connection.note(reply)
      // While a watch is kept, only the first read is taken: the watch may have shown a later state already.
      if (reply.body && call.operation === 'getGameServer' && !(state.last && connection.isWatched))
        state.offer(reply.body as unknown as GameServer)
      return reply
    },

    probe: (task) => connection.ask(task, { operation: 'getGameServer', timeout: PROBE_TIMEOUT }),

    whenUp: async (task) => connection.isUp || search.join(task),
  }
  onAbort(time.life, () => connection.set('closed'))
  const search = createSearch(connection, time, state, warn)
  return connection
}

/** The search for a sidecar that doesn't answer. All callers that wait share it. */
interface Search {
  /** Resolves when the sidecar answers. Rejects when a later attempt can't succeed. */
  join(task: Task): Promise<unknown>
  /** The sidecar has answered. */
  found(): void
}

function createSearch(
  connection: Pick<Connection, 'probe' | 'failed' | 'wasUp'>,
  time: Time,
  state: Pick<State, 'ending'>,
  warn: (reason?: SidecarError) => void,
): Search {
  /** Functions that each end one wait: with success, or with the given error. */
  const waiting = new Set<(error?: SidecarError) => void>()
  let running: Task | undefined
  let againAt = 0
  let cancelWarning: (() => void) | undefined

  async function look(task: Task): Promise<void> {
    for (;;) {
      const rest = againAt - time.now()
      if (rest > 0) await time.sleep(task, rest)
      const { error, unsent, retryAfter } = await connection.probe(task)
      if (!error || task.aborted) return
      againAt = time.now() + connection.failed(retryAfter)
      if (error.code === 'CROSS_ORIGIN') warn(error)
      // The sidecar of a server that ends may end before the game.
      if (!isPassing(error) || (unsent && state.ending)) waiting.forEach((end) => end(error))
    }
  }

  function start(): void {
    const task = (running = follow(time.life))
    cancelWarning = cancelWarning ?? time.after(ABSENCE_WARNING, warn)
    // A sidecar that answers reads alone is found at once by each probe, so each loss counts.
    if (connection.wasUp) againAt = Math.max(againAt, time.now() + connection.failed(0, true))
    const end = (): void => {
      task.release()
      if (running === task) running = undefined
    }
    look(task).then(end, end)
  }

  return {
    join: (task) =>
      time.wait(task, (resolve, reject) => {
        const end = (error?: SidecarError): void => (error ? reject(error) : resolve(undefined))
        waiting.add(end)
        if (!running) start()
        return () => {
          waiting.delete(end)
          if (waiting.size || !running) return
          // Nobody waits any more, so dialling must stop.
          running.abort(true)
          running = undefined
        }
      }),

    found() {
      if (cancelWarning) cancelWarning()
      cancelWarning = () => {}
      waiting.forEach((end) => end())
    },
  }
}
