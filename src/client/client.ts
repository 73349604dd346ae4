import { lastAllocatedAnnotation, metadataPrefix } from '../protocol/names.js'
import { createRunCall, createSend } from './calls.js'
import { createCommands } from './commands.js'
import { createConnection } from './connection.js'
import type { DirectMode } from './direct/direct-mode.js'
import { createEmitter, type Emitter } from './emitter.js'
import type { SidecarError } from './errors.js'
import { createResources } from './game-server.js'
import { createHeartbeat, startBeating } from './health/heartbeat.js'
import { host } from './host.js'
import { requestInit, type SendHttp } from './http.js'
import type { AbortSignalLike, ClientOptions } from './option-types.js'
import { type Hints, locate, resolveAutoHealth, type ResolvedOptions, resolveOptions } from './options.js'
import type { PageParts } from './page/page.js'
import { createPublicClient, EVENTS } from './public-client.js'
import { createRequest, type Request } from './requests.js'
import { follow, onAbort } from './signals.js'
import { createChanges, createState } from './state.js'
import { createPacing, createTimers, type Pacing, type Timers } from './timers.js'
import { createStreamWatch, createWebSocketWatch, type LoadWebSocket, type OpenWatch } from './transports.js'
import type { SidecarClient, SidecarEvents, Transport } from './types.js'
import { keepWatch } from './watch-loop.js'
import { createWatch } from './watch.js'

type Emit = Emitter<SidecarEvents>['emit']

/** What each kind of host supplies. */
export interface Environment {
  /** @param life aborts when the client is closed */
  createHttp(options: ClientOptions, baseUrl: string, life: AbortSignalLike): SendHttp
  /** The class for a watch if the options give none; a message may have `limit` characters. */
  loadWebSocket(limit: number): ReturnType<LoadWebSocket>
  readonly page?: PageParts
  /**
   * Adds something of the environment to a client, and returns the function that undoes it when the client is closed.
   *
   * @param end reports that this process ends, with its deadline in ms since the Unix epoch
   */
  attach?(client: SidecarClient, options: ClientOptions, emit: Emit, end: (deadline: number) => void): () => void
}

/**
 * A client of the sidecar beside this game server. It dials nothing by itself until it is called, listened to or told
 * to keep the beat; it lives until `close()`.
 *
 * @throws SidecarError `CONFIG` where nothing says where the sidecar is, or an option can't be right
 */
export interface CreateClient {
  (options: ClientOptions & { int64: 'bigint' }): SidecarClient<bigint>
  (options?: ClientOptions): SidecarClient
}

/** `createClient` for a kind of host. */
export function createClientFor(environment: Environment): CreateClient {
  return ((options?: ClientOptions | null) => buildClient(options ?? {}, environment)) as CreateClient
}

function buildClient(given: ClientOptions, environment: Environment): SidecarClient {
  const { page, attach } = environment
  const options = resolveOptions(given)
  const hints: Hints = page ? page.readHints() : { sources: {} }
  const { baseUrl, platform } = locate(given, hints)
  const autoHealth = given.autoHealth ?? hints.autoHealth ?? false
  const settings = resolveAutoHealth(autoHealth, !!host().document)

  const controller = follow(given.signal)
  const life = controller.signal
  const timers = createTimers(options)
  const emitter = createEmitter<SidecarEvents>(EVENTS, options.logger ?? {})
  const { emit } = emitter
  const resources = createResources(options.int64)
  const prefix = metadataPrefix(platform)
  const tellChanges = createChanges(resources, prefix, lastAllocatedAnnotation(platform))
  const state = createState(tellChanges, emitter)
  const { direct, open, hasWebSocket, pacing } = createTransports(options, environment, baseUrl, life, timers)
  const warn = createAbsenceWarning(options, baseUrl)
  const connection = createConnection(life, state, direct.request, timers, pacing, emit, warn)
  onAbort(life, () => {
    // Runs first when the client closes, so that parts which end with the client emit no event.
    connection.set('closed')
    emitter.clear()
    timers.clear()
  })
  const core = {
    life,
    options,
    baseUrl,
    prefix,
    timers,
    pacing,
    connection,
    state,
    direct,
    resources,
    open,
    hasWebSocket,
    emit,
    has: emitter.has,
    run: createRunCall(life, timers, options.retry.timeout, connection, direct.refuse),
    send: createSend(timers, pacing, connection, state, options),
  }
  const watch = createWatch(life, connection, state, (onHopeless) => keepWatch(core, onHopeless))
  const heartbeat = createHeartbeat(core, settings)
  if (autoHealth && !life.aborted)
    startBeating(core, heartbeat, settings, page && ((sign) => page.startBeatWorker(core, heartbeat, sign)))
  if (page) page.watchPage(core, heartbeat)
  const commands = createCommands(core, watch, page?.createDirectOutcomes(core, watch), heartbeat.sent)
  const client = createPublicClient(core, controller, commands, emitter, watch, tellChanges, heartbeat)
  if (attach)
    onAbort(
      life,
      attach(client, given, emit, (deadline) => state.end('signal', deadline)),
    )
  return client
}

/** The transports of this kind of host. */
function createTransports(
  options: ResolvedOptions,
  { createHttp, loadWebSocket, page }: Environment,
  baseUrl: string,
  life: AbortSignalLike,
  timers: Timers,
): { direct: DirectMode; open: Record<Transport, OpenWatch>; hasWebSocket: () => unknown; pacing: Pacing } {
  const { limits, retry, random } = options
  const pacing = createPacing(timers, retry, random)
  const http = createHttp(options, baseUrl, life)
  const load: LoadWebSocket = () => options.WebSocket ?? loadWebSocket(limits.message)
  const websocket = createWebSocketWatch(load, baseUrl, limits.message)
  const stream = createStreamWatch(http, baseUrl, limits.message)
  const request = createRequest(baseUrl, http, timers, limits.body)
  return {
    direct: page
      ? page.createDirectMode(options.crossOrigin, request, baseUrl, http, websocket, timers, pacing)
      : withoutDirectMode(request),
    open: { websocket, stream },
    hasWebSocket: load,
    pacing,
  }
}

function withoutDirectMode(request: Request): DirectMode {
  return {
    isActive: false,
    request,
    refuse: () => undefined,
    postInit: () => requestInit('POST', '{}'),
  }
}

/** Says once that the sidecar is absent, or why it refuses this page. */
function createAbsenceWarning({ logger }: ClientOptions, baseUrl: string): (reason?: SidecarError) => void {
  let hasWarned = false
  return (reason) => {
    const sink = hasWarned ? undefined : (logger ?? host().console)
    hasWarned = true
    if (sink?.warn)
      sink.warn('gameserver-sidecar: ' + (reason ? reason.message : `no answer from ${baseUrl} yet, still trying`))
  }
}
