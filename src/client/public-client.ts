import type { Core } from './core.js'
import { checkName, checkNames } from './checks.js'
import type { Commands } from './commands.js'
import type { Emitter } from './emitter.js'
import { SidecarError } from './errors.js'
import type { Heartbeat } from './health/heartbeat.js'
import { type Task, wait } from './signals.js'
import { DERIVED, type State, type TellChanges } from './state.js'
import { WATCH } from './transports.js'
import type { CallOptions, ClientMetrics, ClientStatus, SidecarClient, SidecarEvents, WatchOptions } from './types.js'
import { iterate, type Predicate, type Watch } from './watch.js'

export const EVENTS = DERIVED.concat('health', 'connection', 'signal', 'error')
const STATES =
  'PortAllocation Creating Starting Scheduled RequestReady Ready Reserved Allocated Shutdown Error Unhealthy'.split(' ')

/**
 * Builds the user's object from the parts.
 *
 * @param life aborted by `close()`
 */
export function createPublicClient(
  { run, connection, state, timers, direct }: Core,
  life: Task,
  commands: Commands,
  emitter: Emitter<SidecarEvents>,
  watch: Watch,
  tellChanges: TellChanges,
  heartbeat: Heartbeat,
): SidecarClient {
  const on = createOn(emitter, state, tellChanges, watch)
  const close = (): void => life.abort(new SidecarError('CLOSED', 'The client is closed'))

  // Assigned to an object with the getters, since Object.assign would copy their values.
  const client = {
    get gameServer() {
      return state.last
    },
    get status(): ClientStatus {
      const { state: connected, transport, reason } = connection.current
      const { sender, lastBeat, healthy } = heartbeat
      return { connection: connected, transport, reason, direct: direct.isActive, lastBeat, healthy, heartbeat: sender }
    },
  }
  return Object.assign(client, commands, {
    on,
    off: emitter.off,

    once: <T extends keyof SidecarEvents>(type: T, options?: CallOptions) =>
      run(
        'once',
        options,
        (signal) => {
          checkName(type, EVENTS, 'event', 'once')
          return wait<SidecarEvents[T]>(signal, (resolve, reject) => {
            const leave = DERIVED.includes(type) ? watch.join(reject) : () => {}
            const off = on(type, resolve)
            return () => {
              leave()
              off()
            }
          })
        },
        [],
        Infinity,
      ),

    waitFor: (wanted: string | Predicate, options?: CallOptions) =>
      run(
        'waitFor',
        options,
        (signal) => {
          if (typeof wanted === 'function') return watch.until(signal, wanted)
          checkName(wanted, STATES, 'state', 'waitFor')
          return watch.until(signal, ({ status }) => status.state === wanted)
        },
        [],
        Infinity,
      ),

    watchGameServer: (options?: WatchOptions | null) => {
      const given = options ?? {}
      checkNames(given, ['signal', 'queue', 'overflow'], 'option', WATCH)
      return { [Symbol.asyncIterator]: () => iterate(life.signal, watch, on, given) }
    },

    metrics: (): ClientMetrics => {
      const { current, watches, calls } = connection
      const age = (since: number | undefined): number | undefined => since && (Date.now() - since) / 1000
      return {
        state: state.last?.status.state,
        stateAge: age(state.since),
        heartbeats: Object.assign(
          { age: age(heartbeat.lastBeat), limit: (heartbeat.rules().limit ?? 0) / 1000 },
          heartbeat.beats,
        ),
        watch: { connections: current.transport ? 1 : 0, reconnects: Math.max(0, watches - 1) },
        calls: JSON.parse(JSON.stringify(calls)) as ClientMetrics['calls'],
      }
    },

    alive: heartbeat.alive,
    after: timers.after,
    tick: timers.tick,
    close,
    // If the host lacks the symbol, this repeats `close`.
    [(Symbol.dispose as symbol | undefined) ?? 'close']: close,
  }) as unknown as SidecarClient
}

/** Adds listeners, and tells a late listener the current state. */
function createOn(
  emitter: Emitter<SidecarEvents>,
  state: State,
  tellChanges: TellChanges,
  watch: Watch,
): SidecarClient['on'] {
  return function on<T extends keyof SidecarEvents>(
    type: T,
    listener: (event: SidecarEvents[T]) => void,
    context?: unknown,
  ): () => void {
    if (!DERIVED.includes(type)) return emitter.on(type, listener, context)
    const { last, ending } = state
    // Tells the current state to a late subscriber.
    const replay = (tell: (event: SidecarEvents[T]) => void): void =>
      type === 'ending'
        ? tell(ending as never)
        : tellChanges(undefined, state.last!, {
            emit: (name, event) => {
              if (name === (type as string)) tell(event as never)
            },
            has: (name) => name === type,
          })
    const off = emitter.on(type, listener, context, (type === 'ending' ? ending : last) ? replay : undefined)
    watch.join()
    return off
  }
}
