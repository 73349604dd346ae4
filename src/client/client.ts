import { STATES } from '../protocol/game-server.js'
import { type Calls, createCalls, type Predicate } from './calls.js'
import { checkName } from './checks.js'
import { createCommands, createResourceCommands } from './commands.js'
import { type Connection, createConnection } from './connection.js'
import { createEmitter } from './emitter.js'
import { SidecarError } from './errors.js'
import { globals } from './globals.js'
import { createHeartbeat, type Heartbeat } from './heartbeat.js'
import type { SendHttp } from './http.js'
import { type ClientOptions, type Hints, locate, resolveAutoHealth, resolveOptions } from './options.js'
import type { PageParts } from './page/page.js'
import { createAccess } from './request.js'
import { createResources, createState, DERIVED, type State } from './state.js'
import { createTime, follow, onAbort, type Task } from './time.js'
import { createStreamWatch, createWebSocketWatch, type LoadWebSocket } from './transports.js'
import type { CallOptions, ClientStatus, CreateClient, SidecarClient, SidecarEvents, WatchOptions } from './types.js'
import { createWatch, iterate, type Watch } from './watch.js'

/** What each kind of host supplies. */
export interface Environment {
  /** @param life aborts when the client is closed */
  createHttp(options: ClientOptions, baseUrl: string, life: Task): SendHttp
  /** The class for a watch if the options give none; a message may have `limit` characters. Default: the host's. */
  loadWebSocket?(limit: number): ReturnType<LoadWebSocket>
  readonly page?: PageParts
  /** Adds something of the environment to a client. Returns the function that undoes it when the client is closed. */
  attach?(client: SidecarClient, options: ClientOptions, state: Pick<State, 'emit' | 'end'>): () => void
}

/** `createClient` for a kind of host. */
export function createClientFor(environment: Environment): CreateClient {
  return ((options?: ClientOptions | null) => buildClient(options ?? {}, environment)) as CreateClient
}

const EVENTS = DERIVED.concat('health', 'connection', 'signal', 'error')

function buildClient(given: ClientOptions, { createHttp, loadWebSocket, page, attach }: Environment): SidecarClient {
  const options = resolveOptions(given)
  const hints: Hints = page ? page.readHints() : { sources: {} }
  const { baseUrl, platform } = locate(given, hints)
  const autoHealth = given.autoHealth ?? hints.autoHealth ?? false
  const settings = resolveAutoHealth(autoHealth, !!globals().document)
  const { message, body } = options.limits

  const life = follow(given.signal)
  const time = createTime(options, life)
  const emitter = createEmitter<SidecarEvents>(EVENTS, options.logger ?? {})
  const resources = createResources(options.int64)
  const state = createState(emitter, resources, platform)

  const load: LoadWebSocket = () => options.WebSocket ?? (loadWebSocket ? loadWebSocket(message) : globals().WebSocket)
  const websocket = createWebSocketWatch(load, baseUrl, time, message)
  const readable = createAccess(baseUrl, createHttp(options, baseUrl, life), time, body)
  const access = page ? page.createDirectMode(readable, options.crossOrigin, websocket, time) : readable
  const stream = createStreamWatch(access, time, message)
  const connection = createConnection(access, time, state, options.logger)
  // Before the parts that end with the client: they then emit no event.
  onAbort(life, state.clear)
  const open = { websocket, stream }
  const watch = createWatch(Object.assign({ open, loadWebSocket: load }, options), connection, state)
  const calls = createCalls(options, connection, state, page?.createFindOutcome(watch))
  const heartbeat = createHeartbeat(settings, calls, connection, state)
  const client = Object.assign(
    createFace(connection, state, watch, heartbeat),
    createCommands(calls, connection, state, watch),
    createResourceCommands(calls, connection, state, resources),
    createListening(calls, connection, state, watch),
  ) as unknown as SidecarClient
  // Before the first beat, since it may refuse its options.
  if (attach) onAbort(life, attach(client, given, state))
  if (autoHealth && !life.aborted) {
    heartbeat.start()
    if (page && settings.worker) page.startWorker(heartbeat, time)
  }
  if (page) page.watchPage(heartbeat, connection, state, options)
  return client
}

/** What needs no request. Others are assigned to it, since Object.assign would copy the values of its getters. */
function createFace(connection: Connection, state: State, watch: Watch, heartbeat: Heartbeat) {
  const { time, access } = connection
  const close = (): void => time.life.abort(new SidecarError('CLOSED', 'The client is closed'))
  return {
    get gameServer() {
      return state.last
    },
    get status(): ClientStatus {
      const { state: connected, transport, reason } = connection.current
      const { sender, lastBeat, healthy } = heartbeat
      const { isDirect: direct, paths } = access
      const stablePaths = paths.isStable
      return { connection: connected, transport, reason, direct, stablePaths, lastBeat, healthy, heartbeat: sender }
    },
    watchGameServer: (options?: WatchOptions | null) => ({
      [Symbol.asyncIterator]: () => iterate(watch, state, time, options ?? {}),
    }),
    health: heartbeat.health,
    alive: () => heartbeat.alive(),
    after: time.after,
    tick: time.tick,
    close,
    // If the host lacks the symbol, this repeats `close`.
    [(Symbol.dispose as symbol | undefined) ?? 'close']: close,
  }
}

/** Listeners, and waits for what they would be told. */
function createListening(
  { run }: Calls,
  { time }: Connection,
  state: State,
  watch: Watch,
): Pick<SidecarClient, 'on' | 'off' | 'once' | 'waitFor'> {
  const on: SidecarClient['on'] = (type, listener, context) => {
    const off = state.on(type, listener, context)
    if (DERIVED.includes(type)) watch.join()
    return off
  }
  return {
    on,
    off: state.off,

    once: <T extends keyof SidecarEvents>(type: T, options?: CallOptions) =>
      run(
        'once',
        options,
        async (task) => {
          checkName(type, EVENTS, 'event', 'once')
          return time.wait<SidecarEvents[T]>(task, (resolve, reject) => {
            const leave = DERIVED.includes(type) ? watch.join(reject) : () => {}
            const off = on(type, resolve)
            return () => {
              leave()
              off()
            }
          })
        },
        Infinity,
      ),

    waitFor: (wanted: string | Predicate, options?: CallOptions) =>
      run(
        'waitFor',
        options,
        async (task) => {
          if (typeof wanted === 'function') return watch.until(task, wanted)
          checkName(wanted, STATES, 'state', 'waitFor')
          return watch.until(task, ({ status }) => status.state === wanted)
        },
        Infinity,
      ),
  }
}
