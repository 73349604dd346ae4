import { startHeartbeat } from '../health/heartbeat.js'
import type { GameServer } from '../protocol/game-server.js'
import { metadataPrefix } from '../protocol/names.js'
import { emitChanges, type Emit } from '../watch/changes.js'
import { iterate } from '../watch/iterate.js'
import { isGameServer, isNews } from '../watch/order.js'
import { startWatch } from '../watch/watch.js'
import { createCalls, follow } from './calls.js'
import { createCommands, type Predicate } from './commands.js'
import { createEmitter, guard } from './emitter.js'
import { fail, type SidecarError } from './errors.js'
import { createParseInteger } from './integers.js'
import { createLink } from './link.js'
import { locate } from './location.js'
import { resolveOptions } from './options.js'
import { createScope, type Scope } from './scope.js'
import { createTimers } from './timers.js'
import type {
  CallOptions,
  ClientOptions,
  ConnectionEvent,
  HealthEvent,
  SidecarClient,
  SidecarEvents,
  WatchOptions,
} from './types.js'

/** ms after which an accepted label or annotation should have appeared; the sidecar writes twice a second. */
const metadataDeadline = 10000

type EventName = keyof SidecarEvents

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
export function buildClient(given: ClientOptions = {}, attach?: Attach): SidecarClient {
  const options = resolveOptions(given)
  const { logger } = options
  const location = locate(options)
  const timers = createTimers(options)
  const scope = createScope()
  const prefix = metadataPrefix(location._platform)
  const parseInteger = createParseInteger(options.int64)
  const emitter = createEmitter<SidecarEvents>(logger)
  const emit: Emit = emitter._emit
  const expected = new Map<string, Predicate>()
  let last: GameServer | undefined
  let watchScope: Scope | undefined
  let connection: ConnectionEvent = { state: 'idle', transport: undefined, reason: undefined }
  let lastBeat: number | undefined
  let healthy: boolean | undefined
  let searching: boolean | undefined
  let beatNow: (() => void) | undefined

  const isWatching = (): boolean => !!watchScope && watchScope._reason === undefined

  function report(error: SidecarError): void {
    if (!emitter._has('error') && logger && logger.warn) logger.warn(error.message)
    emit('error', error)
  }

  function setConnection(
    state: ConnectionEvent['state'],
    transport?: ConnectionEvent['transport'],
    reason?: string,
  ): void {
    const { state: was, transport: before } = connection
    connection = { state, transport, reason }
    if (was !== state || before !== transport) emit('connection', connection)
  }

  const link = createLink(
    options,
    location,
    timers,
    scope,
    () => {
      if (!isWatching()) setConnection('connected')
      if (beatNow && healthy === false) beatNow()
    },
    (reason) => {
      if (!isWatching() && scope._reason === undefined)
        setConnection(last ? 'reconnecting' : 'connecting', undefined, reason && reason.message)
    },
    onRead,
  )

  /** A read may be older than what the watch has told since, so beside a watch only the first one counts. */
  function onRead(value: unknown): void {
    if ((!last || !isWatching()) && isGameServer(value)) offer(value)
  }

  function offer(gameServer: GameServer): void {
    if (!isNews(last, gameServer)) return
    const previous = last
    last = gameServer
    emitChanges(previous, gameServer, prefix, parseInteger, emit)
    if (gameServer.status.state === 'Unhealthy' && !(previous && previous.status.state === 'Unhealthy'))
      report(
        fail(
          'UNAVAILABLE',
          'This GameServer is Unhealthy',
          '',
          undefined,
          'The sidecar now accepts and ignores every state call: end the process.',
        ),
      )
  }

  function ensureWatch(): Scope {
    if (!watchScope || (!isWatching() && scope._reason === undefined)) {
      watchScope = createScope(scope)
      startWatch(options, timers, link, watchScope, {
        _last: () => last,
        _offer: offer,
        _setConnection: setConnection,
        _report: report,
      })
    }
    return watchScope
  }

  function seen(waiting: Scope, predicate: Predicate): Promise<GameServer> {
    const watch = ensureWatch()
    waiting._onEnd(watch._onEnd(() => waiting._end(watch._reason)))
    return waiting._wait((resolve, reject) =>
      on('gameserver', (gameServer) => {
        try {
          if (predicate(gameServer)) resolve(gameServer)
        } catch (error) {
          reject(error)
        }
      }),
    )
  }

  /** A write that the sidecar has accepted may still never be carried out: it writes later, and doesn't say. */
  function expect(id: string, predicate: Predicate): void {
    if (!isWatching()) return
    expected.set(id, predicate)
    timers._sleep(scope, metadataDeadline).then(
      () => {
        if (expected.get(id) !== predicate) return
        expected.delete(id)
        if (connection.transport && !predicate(last!))
          report(
            fail('UNKNOWN_OUTCOME', 'Accepted, but not to be seen', id, undefined, 'Another key may block the queue.'),
          )
      },
      () => {},
    )
  }

  function on<T extends EventName>(
    type: T,
    listener: (event: SidecarEvents[T]) => void,
    context?: unknown,
  ): () => void {
    let told = /^(health|connection|error|signal)$/.test(type)
    const end = emitter._on(type, listener, context, () => {
      told = true
    })
    if (!told) {
      ensureWatch()
      // Who comes late is told what is known, once the caller has what `on` returns.
      void Promise.resolve().then(() => {
        if (!told && last && emitter._isActive(end))
          emitChanges(undefined, last, prefix, parseInteger, (name, event) => {
            if (name === (type as EventName)) guard(() => listener.call(context, event as never), logger)
          })
      })
    }
    return end
  }

  async function sendBeat(beatScope: Scope, timeout: number): Promise<void> {
    try {
      await link._attempt(beatScope, 'health', timeout, undefined, '{}')
    } finally {
      // The beat goes on at its rhythm; besides, somebody must notice at once when the sidecar is back.
      if (!link._up && !searching) {
        searching = true
        const found = (): void => {
          searching = false
        }
        link._whenUp(scope).then(found, found)
      }
    }
  }

  function close(): void {
    scope._end(fail('CLOSED', 'The client is closed'))
    setConnection('closed')
    emitter._clear()
  }

  const calls = createCalls(options, timers, scope, link)
  const forEver = { timeout: Infinity }
  const client = Object.assign(createCommands(calls, timers, parseInteger, prefix, onRead, seen, expect), {
    watchGameServer: (watchOptions: WatchOptions = {}) => ({
      [Symbol.asyncIterator]: () =>
        iterate(
          watchOptions,
          () => {
            const iteration = createScope(ensureWatch())
            follow(watchOptions.signal, iteration)
            return iteration
          },
          (listener) => on('gameserver', listener),
        ),
    }),
    on,
    off: emitter._off,
    once: <T extends EventName>(type: T, callOptions?: CallOptions) =>
      calls._run('once', Object.assign({}, forEver, callOptions), (waiting) =>
        waiting._wait<SidecarEvents[T]>((resolve) => on(type, resolve)),
      ),
    waitFor: (wanted: string | Predicate, callOptions?: CallOptions) =>
      calls._run('waitFor', Object.assign({}, forEver, callOptions), (waiting) =>
        seen(waiting, typeof wanted === 'function' ? wanted : ({ status }) => status.state === wanted),
      ),
    tick: timers._tick,
    close,
    destroy: close,
    dispose: close,
    [(Symbol.dispose as symbol | undefined) || 'dispose']: close,
  })
  Object.defineProperties(client, {
    gameServer: { get: () => last },
    status: {
      get: () => ({
        connection: connection.state,
        transport: connection.transport,
        reason: connection.reason,
        lastBeat,
        healthy,
      }),
    },
  })

  follow(options.signal, scope)
  const autoHealth = options.autoHealth === undefined ? location._autoHealth : options.autoHealth
  if (autoHealth && scope._reason === undefined) {
    beatNow = startHeartbeat(
      autoHealth === true ? {} : autoHealth,
      timers,
      scope,
      () => last && last.spec && last.spec.health,
      sendBeat,
      (event: HealthEvent) => {
        healthy = event.ok
        if (healthy) lastBeat = event.at
        emit('health', event)
      },
    )
    // How often to beat is written in the GameServer.
    calls._send(scope, 'getGameServer').then(onRead, () => {})
  }
  const made = client as unknown as SidecarClient
  if (attach) scope._onEnd(attach(made, emit))
  return made
}
