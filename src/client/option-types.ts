import type {
  AbortSignalLike,
  FetchLike,
  LoggerLike,
  SchedulerLike,
  TextDecoderConstructor,
  WebSocketConstructor,
  XMLHttpRequestLike,
} from './globals.js'

/** The waits between attempts: `random() * min(maxDelay, initialDelay * factor ** attempt)`, but at least 150 ms. */
export interface RetryPolicy {
  /** ms; default 250 */
  initialDelay?: number
  /** default 1.6 */
  factor?: number
  /** ms; default 5000 */
  maxDelay?: number
  /** ms over all attempts of one call, waiting for the sidecar included; default 60000 */
  timeout?: number
}

/** Maximum sizes accepted from the sidecar. */
export interface Limits {
  /** Characters of one watch message or line, and over `ws` twice as many bytes; default 16 Mi */
  message?: number
  /** Characters of one answer's body; default 16 Mi */
  body?: number
}

export interface AutoHealthOptions {
  /**
   * ms between beats. Default: half of the GameServer's `spec.health.period_seconds`,
   * and 2000 until the sidecar has told that: {@link HealthSpec}.
   */
  interval?: number
  /**
   * Asked before each beat whether the game is well.
   * `false`, an exception, or no answer within {@link stallTimeout} holds the beat back.
   */
  check?(): unknown
  /**
   * ms without {@link SidecarClient.alive} after which beats stop, once the game has called it; also the time that
   * {@link check} may take. Default 3000.
   */
  stallTimeout?: number
  /**
   * A worker wakes the page for each beat, since browsers throttle the timers of a hidden page.
   * Default: true in a page. {@link ClientStatus.heartbeat} tells whose clock it is.
   */
  worker?: boolean
}

export interface ClientOptions {
  /**
   * Where the sidecar is, such as `http://127.0.0.1:9358`; usually left out.
   * Default: what the page says (script tag, gateway, `?sidecar=`), else `AGONES_SDK_HTTP_PORT`. See {@link platform}.
   */
  baseUrl?: string
  /**
   * Sends health beats for as long as the client lives. Without beats, the platform ends the game server. Default false.
   * `true`, or {@link AutoHealthOptions}: the interval, a check of your own, how long a page may hang.
   */
  autoHealth?: boolean | AutoHealthOptions
  /**
   * On SIGTERM or SIGINT, ends in order: the `signal` event, your `onSignal`, `shutdown()`, exit. Default false.
   * `true`, or {@link ProcessSignalOptions}. In Node, Deno and Bun: pages ignore it.
   */
  processSignals?: boolean | ProcessSignalOptions
  /** Sends `shutdown` when the page is closed or left for good. Default false. A process has {@link processSignals}. */
  shutdownOnPageHide?: boolean
  /**
   * How counts and capacities are given back; default `number`. A number that would lose digits is an error:
   * with `bigint`, each {@link Counter} and {@link List} is exact.
   */
  int64?: 'number' | 'bigint'
  /** Closes the client when it aborts, as {@link SidecarClient.close} does. */
  signal?: AbortSignalLike
  /** ms for one attempt; default 10000. A call makes several: {@link RetryPolicy.timeout} limits them together. */
  timeout?: number
  /**
   * When a call is tried again: {@link RetryPolicy}. Only what is safe to repeat is sent twice.
   * `false`: one attempt a call; the watch reconnects all the same.
   */
  retry?: RetryPolicy | false
  /** `warn` gets errors without an `error` listener, and `error` what listeners throw. Default: the console. */
  logger?: LoggerLike
  /**
   * The environment variables are `<PLATFORM>_SDK_HTTP_PORT` and `_HOST`, labels are `<platform>.dev/sdk-…`.
   * Default `agones`. {@link baseUrl} comes before the variables.
   */
  platform?: string
  /**
   * How the watch comes: WebSocket, HTTP stream, or `auto`, the default: WebSocket, and the stream where that fails.
   * {@link ClientStatus.transport} tells which.
   */
  watch?: 'auto' | 'websocket' | 'stream'
  /**
   * For a page whose origin isn't the sidecar's. `auto`, the default: direct mode where no answer can be read but a
   * WebSocket opens; `direct`: direct mode from the start; `never`: the error CROSS_ORIGIN. See {@link ClientStatus.direct}.
   */
  crossOrigin?: 'auto' | 'direct' | 'never'
  /**
   * ms between reads that check whether the watch tells the truth; default 10000, 0 for none.
   * A read that finds a missed change replaces the connection: {@link SidecarEvents.connection}.
   */
  verifyInterval?: number
  /** The maximum sizes of messages and answers; a longer one is an error LIMIT. */
  limits?: Limits
  /** Default: the host's `fetch`; in Node, `node:http` with kept connections. */
  fetch?: FetchLike
  /** Default: the host's `WebSocket`; in Node, that of the package `ws`. */
  WebSocket?: WebSocketConstructor
  /** Default: the host's. Used by the script build where there is no `fetch`. */
  XMLHttpRequest?: new () => XMLHttpRequestLike
  /** Turns bytes of {@link fetch} into text. Default: the host's; the script build has a substitute. */
  TextDecoder?: TextDecoderConstructor
  /** Timers; default: the host's. `false`: none, and the frame loop calls {@link SidecarClient.tick}. */
  scheduler?: SchedulerLike | false
  /** A clock in ms that never goes back; default `performance.now()`, or `Date.now()`. */
  now?(): number
  /** From 0 up to 1, for the jitter of {@link retry}. Default `Math.random`. */
  random?(): number
}

/** SIGTERM or SIGINT leads to a `signal` event, `onSignal`, `shutdown()` and exit. A second signal exits at once. */
export interface ProcessSignalOptions {
  /** Awaited before `shutdown()`: save the match, tell the players. */
  onSignal?(signal: string): unknown
  /** ms for one attempt; default 10000. {@link RetryPolicy.timeout} limits all attempts of a call together. */
  timeout?: number
}
