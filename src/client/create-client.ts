import type { GameServer } from '../protocol/game-server.js'
import { metadataPrefix } from '../protocol/names.js'
import { operations } from '../protocol/operations.js'
import { startHeartbeat, type Heartbeat } from '../health/heartbeat.js'
import { emitChanges } from '../watch/changes.js'
import { iterate } from '../watch/iterate.js'
import { compareObjects, isGameServer } from '../watch/order.js'
import { startWatch } from '../watch/watch.js'
import { createCalls, follow } from './calls.js'
import { createCommands } from './commands.js'
import { createEmitter, guard } from './emitter.js'
import { SidecarError } from './errors.js'
import { createParseInteger } from './integers.js'
import { createLink } from './link.js'
import { locate } from './location.js'
import { resolvePolicy } from './retry.js'
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

/** Whether a listener of this event makes the watch run. */
function isWatched(type: EventName): boolean {
  return type !== 'health' && type !== 'connection' && type !== 'error'
}

/**
 * A client of the sidecar beside this game server. It dials nothing by itself until it is called, listened to or told
 * to keep the beat; it lives until `close()`.
 *
 * @throws SidecarError `CONFIG` where nothing says where the sidecar is, or what is said can't be right
 */
export function createClient(options: ClientOptions & { int64: 'bigint' }): SidecarClient<bigint>
export function createClient(options?: ClientOptions): SidecarClient
export function createClient(options: ClientOptions = {}): SidecarClient | SidecarClient<bigint> {
  const location = locate(options)
  const policy = resolvePolicy(options.retry)
  const timers = createTimers(options)
  const random = options.random ?? Math.random
  const scope = createScope()
  const prefix = metadataPrefix(location._platform)
  const parseInteger = createParseInteger(options.int64)
  const emitter = createEmitter<SidecarEvents>(options.logger)
  let last: GameServer | undefined
  let watchScope: Scope | undefined
  let connection: ConnectionEvent = { state: 'idle', transport: undefined, reason: undefined }
  let lastHealth: HealthEvent | undefined
  let lastBeat: number | undefined
  let heartbeat: Heartbeat | undefined
  let searchingForBeat = false

  const emit = emitter._emit

  function report(error: SidecarError): void {
    const { logger } = options
    if (!emitter._has('error') && logger && logger.warn) logger.warn(error.message)
    emit('error', error)
  }

  function setConnection(state: ConnectionEvent['state'], transport?: ConnectionEvent['transport'], reason?: string): void {
    const changed = state !== connection.state || transport !== connection.transport
    connection = { state, transport, reason }
    if (changed) emit('connection', connection)
  }

  const isWatching = (): boolean => !!watchScope && watchScope._reason === undefined

  const link = createLink(options, location, policy, timers, random, scope, {
    _onUp() {
      if (!isWatching()) setConnection('connected')
      if (heartbeat) heartbeat._beatNow()
    },
    _onDown(reason) {
      if (!isWatching() && scope._reason === undefined)
        setConnection(last ? 'reconnecting' : 'connecting', undefined, reason && reason.message)
    },
    _onObject: onRead,
  })
  const calls = createCalls(options, policy, timers, random, scope, link)

  /** A read may be older than what the watch has told since, so beside a watch it doesn't count. */
  function onRead(value: unknown): void {
    if (!isWatching() && isGameServer(value)) offer(value)
  }

  function offer(gameServer: GameServer): void {
    if (compareObjects(last, gameServer) !== 'new') return
    const previous = last
    last = gameServer
    emitChanges(previous, gameServer, prefix, parseInteger, emit)
    if (gameServer.status.state === 'Unhealthy' && (!previous || previous.status.state !== 'Unhealthy'))
      report(
        new SidecarError('UNAVAILABLE', 'This GameServer is Unhealthy', {
          hint: 'The sidecar now accepts and ignores ready, allocate, reserve and shutdown: end the process.',
        }),
      )
  }

  function ensureWatch(): Scope {
    if (!watchScope || (watchScope._reason !== undefined && scope._reason === undefined)) {
      watchScope = createScope(scope)
      startWatch({
        _options: options,
        _timers: timers,
        _random: random,
        _policy: policy,
        _link: link,
        _scope: watchScope,
        _last: () => last,
        _offer: offer,
        _setConnection: setConnection,
        _report: report,
      })
    }
    return watchScope
  }

  function seen(waiting: Scope, predicate: (gameServer: GameServer) => boolean): Promise<GameServer> {
    const watch = ensureWatch()
    const forget = watch._onEnd(() => waiting._end(watch._reason))
    waiting._onEnd(forget)
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

  function on<T extends EventName>(
    type: T,
    listener: (event: SidecarEvents[T]) => void,
    context?: unknown,
  ): () => void {
    let told = scope._reason !== undefined || !isWatched(type)
    const end = emitter._on(type, listener, context, () => {
      told = true
    })
    let active = true
    if (!told) {
      ensureWatch()
      // Who comes late is told what is known, once the caller has what `on` returns.
      void Promise.resolve().then(() => {
        if (active && !told && last)
          emitChanges(undefined, last, prefix, parseInteger, (name, event) => {
            if (name === (type as EventName)) guard(() => listener.call(context, event as never), options.logger)
          })
      })
    }
    return () => {
      active = false
      end()
    }
  }

  async function sendBeat(beatScope: Scope, timeout: number): Promise<void> {
    try {
      await link._attempt(beatScope, 'health', operations.health[1], '{}', timeout)
    } finally {
      // The beat goes on at its rhythm; besides, somebody must notice at once when the sidecar is back.
      if (!link._up && !searchingForBeat) {
        searchingForBeat = true
        const found = (): void => {
          searchingForBeat = false
        }
        link._whenUp(scope).then(found, found)
      }
    }
  }

  function close(): void {
    if (scope._reason !== undefined) return
    scope._end(new SidecarError('CLOSED', 'The client is closed'))
    setConnection('closed')
    emitter._clear()
  }

  const commands = createCommands({
    _calls: calls,
    _timers: timers,
    _parseInteger: parseInteger,
    _prefix: prefix,
    _onRead: onRead,
    _seen: seen,
    _onMetadata(type, key, value) {
      if (!isWatching()) return
      const id = type + key
      pendingMetadata.set(id, value)
      void timers._sleep(scope, metadataDeadline).then(
        () => {
          if (pendingMetadata.get(id) !== value) return
          pendingMetadata.delete(id)
          const now = last && (last.object_meta[`${type}s`] ?? {})[prefix + key]
          if (now !== value && connection.state === 'connected')
            report(
              new SidecarError('UNKNOWN_OUTCOME', 'The sidecar accepted ' + type + ' ' + key + ', but it has not appeared', {
                hint: 'A refused key may block its queue until it restarts.',
              }),
            )
        },
        () => {},
      )
    },
  })
  const pendingMetadata = new Map<string, string>()

  const client = {
    ...commands,
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
      calls._run('once', { timeout: Infinity, ...callOptions }, (waiting) =>
        waiting._wait<SidecarEvents[T]>((resolve) => on(type, resolve)),
      ),
    waitFor: (wanted: string | ((gameServer: GameServer) => boolean), callOptions?: CallOptions) =>
      calls._run('waitFor', { timeout: Infinity, ...callOptions }, (waiting) =>
        seen(waiting, typeof wanted === 'function' ? wanted : ({ status }) => status.state === wanted),
      ),
    connect: (callOptions?: CallOptions) =>
      calls._run('connect', callOptions, async (waiting) => {
        await link._whenUp(waiting)
        const answer: unknown = await calls._send(waiting, 'getGameServer')
        if (!isGameServer(answer))
          throw new SidecarError('PROTOCOL', 'The answer is not a GameServer', { operation: 'connect' })
        onRead(answer)
        return answer
      }),
    tick: timers._tick,
    close,
    destroy: close,
    dispose: close,
    [(Symbol.dispose as symbol | undefined) ?? 'dispose']: close,
    get gameServer() {
      return last
    },
    get status() {
      return { ...connection, lastBeat, healthy: lastHealth && lastHealth.ok }
    },
  } as unknown as SidecarClient

  follow(options.signal, scope)
  const autoHealth = options.autoHealth ?? location._autoHealth
  if (autoHealth && scope._reason === undefined) {
    heartbeat = startHeartbeat({
      _options: autoHealth === true ? {} : autoHealth,
      _timers: timers,
      _scope: scope,
      _spec: () => last && last.spec && last.spec.health,
      _send: sendBeat,
      _emit(event) {
        lastHealth = event
        if (event.ok) lastBeat = event.at
        emit('health', event)
      },
    })
    // How often to beat is written in the GameServer.
    void calls._send(scope, 'getGameServer').then(onRead, () => {})
  }
  return client
}
