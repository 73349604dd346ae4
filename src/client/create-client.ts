import { startHealth } from '../health/heartbeat.js'
import { watchPage } from '../health/page-life.js'
import type { Emit } from '../watch/changes.js'
import { iterate } from '../watch/iterate.js'
import { createCalls, follow } from './calls.js'
import { createCommands } from './commands.js'
import type { Core } from './core.js'
import { fail } from './errors.js'
import { createEvents, isOfWatch } from './events.js'
import { createLink } from './link.js'
import { locate } from './location.js'
import { resolveOptions } from './options.js'
import { createScope } from './scope.js'
import { createState, type Predicate } from './state.js'
import { createTimers } from './timers.js'
import type { CallOptions, ClientOptions, ClientStatus, SidecarClient, SidecarEvents, WatchOptions } from './types.js'

/** What an environment's build adds to a client; the function it returns undoes that when the client is closed. */
type Attach = (client: SidecarClient, emit: Emit) => () => void

/**
 * A client of the sidecar beside this game server. It dials nothing by itself until it is called, listened to or told
 * to keep the beat; it lives until `close()`.
 *
 * @throws SidecarError `CONFIG` where nothing says where the sidecar is, or what is said can't be right
 */
export function createClient(options: ClientOptions & { int64: 'bigint' }): SidecarClient<bigint>
export function createClient(options?: ClientOptions): SidecarClient
export function createClient(options?: ClientOptions): SidecarClient | SidecarClient<bigint> {
  return buildClient(options)
}

/** `createClient`, for the builds that add something of their environment. */
export function buildClient(options?: ClientOptions, attach?: Attach): SidecarClient {
  const given = options || {}
  const scope = createScope()
  const core = Object.assign(resolveOptions(given), locate(given), createTimers(given), { _scope: scope }) as Core
  Object.assign(core, createState(core), createEvents(core), createCalls(core), createLink(core))
  // The first to hear of the end, so that what ends because of it has nothing more to say.
  scope._onEnd(() => {
    core._setConnection('closed')
    core._clear()
  })
  const close = (): void => scope._end(fail('CLOSED', 'The client is closed'))

  // What is read through a getter comes first: Object.assign would copy its value.
  const state = {
    get gameServer() {
      return core._last
    },
    get status(): ClientStatus {
      const { state: connection, transport, reason } = core._connection
      const { _lastBeat: lastBeat, _healthy: healthy, _heartbeat: heartbeat, _direct: direct } = core
      return { connection, transport, reason, lastBeat, direct, healthy, heartbeat }
    },
  }
  const client = Object.assign(state, createCommands(core), {
    watchGameServer: (options: WatchOptions = {}) => ({
      [Symbol.asyncIterator]: () => iterate(core, options),
    }),
    on: core.on,
    off: core.off,
    once: <T extends keyof SidecarEvents>(type: T, options?: CallOptions) =>
      core._run(
        'once',
        options,
        (waiting) =>
          (isOfWatch(type) ? core._tie(waiting) : waiting)._wait<SidecarEvents[T]>(
            (wait, resolve) => void wait._onEnd(core.on(type, resolve)),
          ),
        Infinity,
      ),
    waitFor: (wanted: string | Predicate, options?: CallOptions) =>
      core._run(
        'waitFor',
        options,
        (waiting) =>
          core._seen(waiting, typeof wanted === 'function' ? wanted : ({ status }) => status.state === wanted),
        Infinity,
      ),
    alive: () => {
      core._aliveAt = core._now()
    },
    tick: core.tick,
    close,
    destroy: close,
    dispose: close,
    [(Symbol.dispose as symbol | undefined) || 'dispose']: close,
  }) as unknown as SidecarClient

  follow(given.signal, scope)
  const { autoHealth = core._autoHealth } = given
  startHealth(core, autoHealth)
  watchPage(core)
  if (attach) scope._onEnd(attach(client, core._emit))
  return client
}
