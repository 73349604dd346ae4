import type { Commands } from './calls/commands.js'
import type { RunCall } from './calls/run.js'
import { DERIVED, type TellChanges } from './game-server/changes.js'
import type { Ending } from './game-server/ending.js'
import type { GameServerStore, Predicate } from './game-server/store.js'
import type { Heartbeat } from './health/heartbeat.js'
import { checkWatchOptions } from './options.js'
import type { Emitter } from './runtime/emitter.js'
import type { FollowSignal } from './runtime/signals.js'
import type { Timers } from './runtime/timers.js'
import { check, checkName } from './runtime/validate.js'
import type { CallOptions, ClientStatus, SidecarClient, SidecarEvents, WatchOptions } from './types.js'
import { iterate } from './watch/iterate.js'
import type { Watch } from './watch/watch.js'

const EVENTS = DERIVED.concat('health', 'connection', 'signal', 'error')
const STATES =
  'PortAllocation Creating Starting Scheduled RequestReady Ready Reserved Allocated Shutdown Error Unhealthy'.split(' ')

interface Parts {
  readonly commands: Commands
  readonly run: RunCall
  readonly emitter: Emitter
  readonly watch: Watch
  readonly store: GameServerStore
  readStatus(): ClientStatus
  readonly heartbeat: Heartbeat
  readonly timers: Timers
  readonly tellChanges: TellChanges
  readonly ending: Ending
  readonly followSignal: FollowSignal
  close(): void
}

/** Makes the object that users hold out of the parts. */
export function createPublicClient(parts: Parts): SidecarClient {
  const { run, emitter, watch, store, readStatus, heartbeat, timers, tellChanges, ending, followSignal, close } = parts

  function on<T extends keyof SidecarEvents>(
    type: T,
    listener: (event: SidecarEvents[T]) => void,
    context?: unknown,
  ): () => void {
    checkName(type, EVENTS, 'event', 'on')
    check(typeof listener === 'function', 'listener', listener, 'a function', 'on')
    if (!DERIVED.includes(type)) return emitter.on(type, listener, context)
    watch.start()
    if (type === 'ending')
      return emitter.on(type, listener, context, ending.event && ((tell) => tell(ending.event as never)))
    // Replays the current state to a late subscriber.
    const replay = (tell: (event: SidecarEvents[T]) => void): void =>
      tellChanges(undefined, store.last!, {
        emit: (name, event) => {
          if (name === (type as string)) tell(event as never)
        },
        has: (name) => name === type,
      })
    return emitter.on(type, listener, context, store.last && replay)
  }

  // Assigned to an object with the getters, since Object.assign would copy their values.
  const state = {
    get gameServer() {
      return store.last
    },
    get status() {
      return readStatus()
    },
  }
  return Object.assign(state, parts.commands, {
    on,
    off: emitter.off,

    once: <T extends keyof SidecarEvents>(type: T, options?: CallOptions) =>
      run(
        'once',
        options,
        (scope) => {
          checkName(type, EVENTS, 'event', 'once')
          if (DERIVED.includes(type)) watch.endWith(scope)
          return scope.wait<SidecarEvents[T]>((resolve, wait) => void wait.onEnd(on(type, resolve)))
        },
        [],
        Infinity,
      ),

    waitFor: (wanted: string | Predicate, options?: CallOptions) =>
      run(
        'waitFor',
        options,
        (scope) => {
          if (typeof wanted === 'function') return watch.until(scope, wanted)
          checkName(wanted, STATES, 'state', 'waitFor', ' (for any other state, give a function)')
          return watch.until(scope, ({ status }) => status.state === wanted)
        },
        [],
        Infinity,
      ),

    watchGameServer: (given?: WatchOptions | null) => {
      const options = given ?? {}
      checkWatchOptions(options)
      return {
        [Symbol.asyncIterator]: () => iterate(watch.start, on, followSignal, options),
      }
    },

    alive: heartbeat.alive,
    tick: timers.tick,
    close,
    destroy: close,
    dispose: close,
    [(Symbol.dispose as symbol | undefined) ?? 'dispose']: close,
  }) as unknown as SidecarClient
}
