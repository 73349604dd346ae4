import type { GameServer } from '../protocol/game-server.js'
import type { Reply } from './answers.js'
import { isPassing, type SidecarError } from './errors.js'
import type { AbortSignalLike } from './option-types.js'
import type { Call, Request } from './requests.js'
import { follow, type Task, wait } from './signals.js'
import type { State } from './state.js'
import type { Pacing, Timers } from './timers.js'
import type { CallFigures, ConnectionEvent, ConnectionState, Transport } from './types.js'

/** ms after which a sidecar that has never answered is worth a warning. */
const ABSENCE_WARNING = 2000
/** ms for which a sidecar must answer before the count of failures starts again: a flapping sidecar keeps its count. */
const STABLE_AFTER = 1000
/** Upper limit of the failures counted for a flapping sidecar, so that its final return is noticed soon. */
const FLAPPING = 5
/** ms for a GET that only asks whether the sidecar is there: a dead one must be noticed within 15 s. */
const PROBE_TIMEOUT = 4000

/** The only owner of the connection's state and transport. */
export interface Connection {
  /** As `connection` events and `client.status` tell it. */
  readonly current: ConnectionEvent
  /** Whether the last exchange got an answer; undefined before the first exchange. */
  readonly isUp: boolean | undefined
  /** Whether it was ever up. */
  readonly wasUp: boolean
  /** Whether a watch is kept, connected or not. While it is, only the watch sets the state of the connection. */
  isWatched: boolean
  /** The requests so far, by operation and code. */
  readonly calls: CallFigures
  /** How often a watch was connected. */
  readonly watches: number
  /** The GameServer that the watch shows, if the watch is connected. */
  watched(): GameServer | undefined
  set(state: ConnectionState, transport?: Transport, reason?: string): void
  /** Sets `reconnecting` if a GameServer was seen before, else `connecting`. */
  lost(reason?: string): void
  /** Notes whether an exchange found the sidecar. */
  note(reply: Pick<Reply, 'answered' | 'error'>): void
  /** Runs one attempt and notes its outcome. */
  ask(signal: AbortSignalLike, call: Call): Promise<Reply>
  /** Reads the GameServer, to find out whether the sidecar answers. */
  probe(signal: AbortSignalLike): Promise<Reply>
  /** Resolves when the sidecar answers: at once, or after a search that all waiting callers share. */
  whenUp(signal: AbortSignalLike): Promise<void>
}

/**
 * @param life aborts when the client is closed
 * @param onAbsent called when a sidecar that has never answered is still silent 2 s
 * after the first request, and with the reason whenever the sidecar refuses this page
 */
export function createConnection(
  life: AbortSignalLike,
  state: Pick<State, 'last' | 'ending' | 'offer'>,
  request: Request,
  timers: Timers,
  pacing: Pacing,
  emit: (type: 'connection', event: ConnectionEvent) => void,
  onAbsent: (reason?: SidecarError) => void,
): Connection {
  let upSince = 0

  const connection: Connection & {
    isUp: boolean | undefined
    wasUp: boolean
    current: ConnectionEvent
    watches: number
  } = {
    current: { state: 'idle', transport: undefined, reason: undefined },
    isUp: undefined,
    wasUp: false,
    isWatched: false,
    calls: {},
    watches: 0,

    watched: () => (connection.current.transport ? state.last : undefined),

    set(state, transport, reason) {
      const previous = connection.current
      if (previous.state === 'closed') return
      connection.current = { state, transport, reason }
      if (transport && !previous.transport) connection.watches++
      if (previous.state !== state || previous.transport !== transport) emit('connection', connection.current)
    },

    lost: (reason) => connection.set(state.last ? 'reconnecting' : 'connecting', undefined, reason),

    note({ answered, error }) {
      if (answered === undefined) return
      const isNew = connection.isUp !== answered
      connection.isUp = answered
      if (answered) {
        connection.wasUp = true
        if (isNew) upSince = timers.now()
      } else if (isNew) search.lost(timers.now() - upSince)
      if (!connection.isWatched && (isNew || !answered)) {
        if (answered) connection.set('connected')
        else connection.lost(error?.summary)
      }
      if (answered) search.found()
    },

    async ask(signal, call) {
      const since = timers.now()
      const reply = await request(signal, call)
      const code = reply.error ? reply.error.code : 'OK'
      const codes = (connection.calls[call.operation] ??= {})
      const figure = (codes[code] ??= { count: 0, seconds: 0 })
      figure.count++
      figure.seconds += (timers.now() - since) / 1000
      connection.note(reply)
      // While a watch is kept, only the first read is taken: the watch may have shown a later state already.
      if (reply.body && call.operation === 'getGameServer' && !(state.last && connection.isWatched))
        state.offer(reply.body as unknown as GameServer)
      return reply
    },

    probe: (signal) => connection.ask(signal, { operation: 'getGameServer', timeout: PROBE_TIMEOUT }),

    whenUp: async (signal) => {
      if (!connection.isUp) await search.join(signal)
    },
  }

  const search = createSearch(life, timers, pacing, connection.probe, () => !!state.ending, onAbsent)
  return connection
}

/** The search for a sidecar that doesn't answer. All callers that wait share it. */
interface Search {
  /** Resolves when the sidecar answers. Rejects when a later attempt can't succeed. */
  join(signal: AbortSignalLike): Promise<unknown>
  /** The sidecar has answered. */
  found(): void
  /** @param upFor ms for which the sidecar had answered before it was lost */
  lost(upFor: number): void
}

/**
 * @param probe asks the sidecar once
 * @param hasEnded whether this server is ending: the sidecar may then end before the game
 */
function createSearch(
  life: AbortSignalLike,
  timers: Timers,
  { turn, backoff }: Pacing,
  probe: (signal: AbortSignalLike) => Promise<Reply>,
  hasEnded: () => boolean,
  onAbsent: (reason?: SidecarError) => void,
): Search {
  /** Functions that each end one wait: with success, or with the given error. */
  const waiting = new Set<(error?: SidecarError) => void>()
  let task: Task | undefined
  /** Attempts that found nobody, until the sidecar has answered for a while. */
  let failures = 0
  let againAt = 0
  let cancelWarning: (() => void) | undefined

  async function ask(signal: AbortSignalLike): Promise<void> {
    for (;;) {
      const rest = againAt - timers.now()
      if (failures && rest > 0) await timers.sleep(signal, rest)
      await turn(signal)
      const { error, unsent, retryAfter = 0 } = await probe(signal)
      againAt = timers.now() + Math.max(retryAfter, backoff(failures++))
      if (!error || signal.aborted) return
      if (error.code === 'CROSS_ORIGIN') onAbsent(error)
      if (!isPassing(error) || (unsent && hasEnded())) waiting.forEach((end) => end(error))
    }
  }

  function start(): void {
    const started = (task = follow(life))
    cancelWarning = cancelWarning ?? timers.after(ABSENCE_WARNING, onAbsent)
    const end = (): void => {
      started.release()
      if (task === started) task = undefined
    }
    ask(started.signal).then(end, end)
  }

  return {
    join: (signal) =>
      wait(signal, (resolve, reject) => {
        const end = (error?: SidecarError): void => (error ? reject(error) : resolve(undefined))
        waiting.add(end)
        if (!task) start()
        return () => {
          waiting.delete(end)
          if (waiting.size || !task) return
          // Nobody waits any more, so dialling must stop.
          task.abort(true)
          task = undefined
        }
      }),

    found() {
      if (cancelWarning) cancelWarning()
      cancelWarning = () => {}
      waiting.forEach((end) => end())
    },

    lost(upFor) {
      failures = upFor > STABLE_AFTER ? 0 : Math.min(failures, FLAPPING)
    },
  }
}
