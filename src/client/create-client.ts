import type { GameServer } from '../protocol/game-server.js'
import { lastAllocatedAnnotation, metadataPrefix } from '../protocol/names.js'
import { createCommands } from './calls/commands.js'
import { createExpectInWatch } from './calls/confirmations.js'
import { createRunCall } from './calls/run.js'
import { createSend } from './calls/send.js'
import { createAttempt } from './connection/attempt.js'
import { createEndpoint } from './connection/endpoint.js'
import { requestInit } from './connection/exchange.js'
import { createHttp } from './connection/fetch.js'
import { createPacing } from './connection/pacing.js'
import { createReachability } from './connection/reachability.js'
import { createConnectionStatus } from './connection/status.js'
import { createDirectMode } from './direct/direct-mode.js'
import { createDirectOutcomes } from './direct/direct-outcomes.js'
import { opaqueInit } from './direct/opaque.js'
import { createChanges } from './game-server/changes.js'
import { createEnding } from './game-server/ending.js'
import { healthRulesOf } from './game-server/game-server.js'
import { createResources } from './game-server/resources.js'
import { createGameServerStore } from './game-server/store.js'
import { createBeatReporter } from './health/beat-reporter.js'
import { NO_HEARTBEAT, startHeartbeat } from './health/heartbeat.js'
import { watchPage } from './health/page-life.js'
import { locate } from './location.js'
import { createPublicClient } from './public-client.js'
import { resolveAutoHealth, resolveOptions } from './options.js'
import { createEmitter, type Emit } from './runtime/emitter.js'
import { SidecarError } from './runtime/errors.js'
import { host } from './runtime/host.js'
import { Scope } from './runtime/scope.js'
import { createSignalFollower } from './runtime/signals.js'
import { createTimers } from './runtime/timers.js'
import type { ClientOptions, SidecarClient } from './types.js'
import { createStreamWatch } from './watch/stream.js'
import { createWatch } from './watch/watch.js'
import { createWebSocketWatch } from './watch/websocket.js'

/** ms that a gateway that was told to stop gives its page, as the host does. */
const GATEWAY_GRACE = 10000

/**
 * Adds something of an environment to a client, and returns the function that undoes it when the client is closed.
 * `end` tells that this process ends, by a deadline in ms since the Unix epoch.
 */
export type Attach = (client: SidecarClient, emit: Emit, end: (deadline: number) => void) => () => void

/**
 * A client of the sidecar beside this game server. It dials nothing by itself until it is called, listened to or told
 * to keep the beat; it lives until `close()`.
 *
 * @throws SidecarError `CONFIG` where nothing says where the sidecar is, or an option can't be right
 */
export function createClient(options: ClientOptions & { int64: 'bigint' }): SidecarClient<bigint>
export function createClient(options?: ClientOptions): SidecarClient
export function createClient(options?: ClientOptions): SidecarClient | SidecarClient<bigint> {
  return buildClient(options)
}

/** `createClient`, for the builds that add something of their environment. */
export function buildClient(optionsOrNone?: ClientOptions | null, attach?: Attach): SidecarClient {
  const given = optionsOrNone ?? {}
  const options = resolveOptions(given)
  const location = locate(given)
  const { limits, logger } = options
  const autoHealth = given.autoHealth ?? location.autoHealth
  const healthSettings = resolveAutoHealth(autoHealth, !!host().document)
  const prefix = metadataPrefix(location.platform)

  // The runtime.
  const scope = new Scope()
  const timers = createTimers(options)
  const emitter = createEmitter(logger)
  const { emit } = emitter
  const followSignal = createSignalFollower()

  // The GameServer and the connection, as far as they are known.
  const resources = createResources(options.int64)
  const tellChanges = createChanges(resources, prefix, lastAllocatedAnnotation(location.platform))
  const ending = createEnding(
    (event) => emit('ending', event),
    () => store.last,
  )
  const store = createGameServerStore((next, previous) => {
    tellChanges(previous, next, emitter)
    ending.look(next)
  })
  const status = createConnectionStatus(
    () => !!store.last,
    (event) => emit('connection', event),
  )
  const watched = (): GameServer | undefined => (status.current.transport ? store.last : undefined)
  const rules = () => healthRulesOf(store.last, healthSettings.interval)

  // One attempt, in either mode; then whether anybody is there at all.
  const endpoint = createEndpoint(location)
  const http = createHttp(options)
  const pacing = createPacing(timers, options.retry, options.random)
  const openWebSocket = createWebSocketWatch(options, endpoint, limits.message)
  const direct = createDirectMode({
    crossOrigin: options.crossOrigin,
    readable: createAttempt(endpoint, http, timers, limits.body),
    endpoint,
    http,
    openWebSocket,
    timers,
    pacing,
    watched,
  })
  let hasWarned = false
  const reachability = createReachability(scope, direct.attempt, timers, pacing, {
    onRead,
    onChange({ up, isNew, reason, operation }) {
      // A watch speaks for itself.
      if (!watch.isOn) {
        if (up) status.set('connected')
        else status.lost(reason?.summary)
      }
      if (up && isNew && operation !== 'health' && reporter.hasFailed) heartbeat.beatNow()
    },
    onAbsent(reason) {
      const sink = hasWarned ? undefined : (logger ?? host().console)
      hasWarned = true
      if (sink?.warn)
        sink.warn(
          'gameserver-sidecar: ' +
            (reason ? reason.message : `no answer from ${endpoint.baseUrl} yet, still trying. ${endpoint.hint()}`),
        )
    },
  })

  const watch = createWatch(scope, {
    options,
    timers,
    pacing,
    endpoint,
    reachability,
    store,
    status,
    emit,
    onSignal(signal) {
      emit('signal', { signal })
      ending.begin('signal', Date.now() + GATEWAY_GRACE)
    },
    transports: { websocket: openWebSocket, stream: createStreamWatch(http, endpoint, limits.message) },
    direct,
  })

  // The calls.
  const run = createRunCall({
    scope,
    timers,
    followSignal,
    timeout: options.retry.timeout,
    hint: () =>
      status.current.state === 'connected'
        ? 'The sidecar is connected: it has not told of this, or not in time'
        : endpoint.hint(),
    refuse: direct.refuse,
  })
  const send = createSend(timers, pacing, endpoint, reachability, options)

  function onRead(gameServer: GameServer): void {
    // Beside a watch, which may have told of a later state, only the first read counts.
    if (!store.last || !watch.isOn) store.offer(gameServer)
  }

  async function readGameServer(reading: Scope): Promise<GameServer> {
    const { body } = await send(reading, 'getGameServer')
    const gameServer = body as unknown as GameServer
    onRead(gameServer)
    return gameServer
  }

  scope.onEnd(() => {
    // This runs first at the end, so that nothing that ends because of it emits an event.
    status.set('closed')
    emitter.clear()
  })
  followSignal(given.signal, scope)

  // The heartbeat.
  const reporter = createBeatReporter(
    timers,
    rules,
    () => reachability.wasUp,
    (event) => emit('health', event),
  )
  const postInit = () => (direct.isActive ? opaqueInit : requestInit)('POST', '{}')
  const heartbeat =
    autoHealth && !scope.reason
      ? startHeartbeat({
          scope,
          timers,
          endpoint,
          reachability,
          reporter,
          settings: healthSettings,
          rules,
          readGameServer: () => readGameServer(scope),
          direct,
          postInit,
          hasOwnFetch: !!options.fetch,
        })
      : NO_HEARTBEAT
  watchPage({ scope, timers, endpoint, options, heartbeat, reporter, postInit })

  const commands = createCommands({
    run,
    send,
    timers,
    store,
    resources,
    watch,
    expectInWatch: createExpectInWatch(scope, timers, watched, emit),
    direct: createDirectOutcomes(timers, store, watch, resources),
    prefix,
    readGameServer,
    watched,
    onBeat: reporter.sent,
  })
  ending.followHost(scope)
  const client = createPublicClient({
    commands,
    run,
    emitter,
    watch,
    store,
    readStatus() {
      const { state: connection, transport, reason } = status.current
      const { lastBeat, healthy } = reporter
      return { connection, transport, reason, direct: direct.isActive, lastBeat, healthy, heartbeat: heartbeat.sender }
    },
    heartbeat,
    timers,
    tellChanges,
    ending,
    followSignal,
    close: () => scope.end(new SidecarError('CLOSED', 'The client is closed')),
  })
  if (attach) scope.onEnd(attach(client, emit, (deadline) => ending.begin('signal', deadline)))
  return client
}
