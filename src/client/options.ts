import { check, checkName, checkNames } from './checks.js'
import { SidecarError } from './errors.js'
import {
  type AbortSignalLike,
  type FetchLike,
  globals,
  type LoggerLike,
  type SchedulerLike,
  type TextDecoderConstructor,
  tryTo,
  type WebSocketConstructor,
  type XMLHttpRequestLike,
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
  /** ms between beats. Default: half of the GameServer's `spec.health.period_seconds`, and 2000 until that is known. */
  interval?: number
  /** Asked before each beat: `false`, an exception, or no answer within {@link stallTimeout} holds the beat back. */
  check?(): unknown
  /**
   * ms without {@link SidecarClient.alive} after which beats stop, once the game has called it; also the time that
   * {@link check} may take. Default 3000.
   */
  stallTimeout?: number
  /** A worker wakes the page for beats, since browsers throttle the timers of a hidden page. Default: true in a page. */
  worker?: boolean
}

export interface ClientOptions {
  /**
   * Where the sidecar is, such as `http://127.0.0.1:9358`; usually left out.
   * Default: what the page says (script tag, gateway, `?sidecar=`), else `AGONES_SDK_HTTP_PORT`. See {@link platform}.
   */
  baseUrl?: string
  /** Sends health beats as long as the client lives; without beats, the platform ends the server. Default false. */
  autoHealth?: boolean | AutoHealthOptions
  /** Ends in order at SIGTERM or SIGINT, in Node, Deno and Bun: {@link ProcessSignalOptions}. Default false. */
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
  /** ms from the signal to the exit at the latest, with 1 if something still hangs; default 10000. */
  timeout?: number
}

const RETRY = { initialDelay: 250, factor: 1.6, maxDelay: 5000, timeout: 60_000 }
const LIMITS = { message: 1 << 24, body: 1 << 24 }
const DEFAULTS = {
  watch: 'auto' as NonNullable<ClientOptions['watch']>,
  crossOrigin: 'auto' as NonNullable<ClientOptions['crossOrigin']>,
  int64: 'number' as NonNullable<ClientOptions['int64']>,
  timeout: 10_000,
  verifyInterval: 10_000,
  random: Math.random,
}

/** The values of options that have only a few. */
const VALUES: Readonly<Record<string, string>> = {
  watch: 'auto websocket stream',
  crossOrigin: 'auto direct never',
  int64: 'number bigint',
}

/** The options that have no default here. */
const OTHERS =
  'baseUrl platform autoHealth retry signal limits fetch WebSocket XMLHttpRequest TextDecoder scheduler now logger ' +
  'shutdownOnPageHide processSignals'

/** The options with their defaults, except for globals, which are looked up in the host at each use. */
export interface ResolvedOptions
  extends Omit<ClientOptions, keyof typeof DEFAULTS | 'retry' | 'limits'>, Readonly<typeof DEFAULTS> {
  readonly retry: Required<RetryPolicy>
  /** One attempt a call. */
  readonly once: boolean
  readonly limits: Required<Limits>
}

/** @throws SidecarError `CONFIG` where an option doesn't exist, or a value can't be right */
export function resolveOptions(given: ClientOptions): ResolvedOptions {
  const { retry, limits } = given
  return Object.assign(resolve('option', given, DEFAULTS, OTHERS.split(' ')), {
    once: retry === false,
    retry: resolve('retry option', retry || {}, RETRY),
    limits: resolve('limits option', limits ?? undefined, LIMITS),
  })
}

/** An `interval` of 0 stands for that of the GameServer. */
export type ResolvedAutoHealth = Required<AutoHealthOptions>

/** @param inPage whether the host is a page, where workers are the rule */
export function resolveAutoHealth(given: boolean | AutoHealthOptions, inPage: boolean): ResolvedAutoHealth {
  const defaults = { interval: 0, stallTimeout: 3000, check: () => true, worker: inPage }
  return resolve('autoHealth option', given === true ? {} : given || {}, defaults)
}

/** Fills in the defaults of absent or undefined options. */
function resolve<G extends object, D extends object>(
  kind: string,
  given: G | undefined,
  defaults: D,
  others: readonly string[] = [],
): D & G {
  checkNames(given, others.concat(Object.keys(defaults)), kind)
  const resolved = Object.assign({}, defaults) as Record<string, unknown>
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === undefined) continue
    if (VALUES[name]) checkName(value, VALUES[name].split(' '), name)
    if (typeof resolved[name] === 'number') check(typeof value === 'number' && value >= 0, name, value, '0 or more')
    resolved[name] = value
  }
  return resolved as D & G
}

/** The settings that a page gives: where the sidecar is, in order of precedence, and more. */
export interface Hints {
  /** Each way to give an address, and the address or port, if it was given. */
  readonly sources: Readonly<Record<string, unknown>>
  readonly platform?: string | undefined
  /** Whether a script tag or the gateway asks for beats. */
  readonly autoHealth?: boolean
}

export const QUERY = '?sidecar=PORT'
const ON_THIS_MACHINE = /^https?:\/\/(localhost|127\.[.\d]+|\[::1])(:|\/|$)/

/**
 * Finds the address of the sidecar, without a slash at its end. The first source that is set wins: options, the hints
 * of a page, the environment.
 *
 * @throws SidecarError `CONFIG` if no source is set, or a source's value is malformed
 */
export function locate(options: ClientOptions, hints: Hints): { platform: string; baseUrl: string } {
  const platform = options.platform || hints.platform || 'agones'
  check(/^[a-z\d][-a-z\d]*$/.test(platform), 'platform', platform, 'a name such as agones')
  const prefix = platform.toUpperCase().replace(/-/g, '_') + '_SDK_HTTP_'
  // Reading may throw: some runtimes need permission for the environment, or for each variable.
  const env = (variable: string): string | undefined => tryTo(() => globals().process!.env![prefix + variable])
  const sources: Record<string, unknown> = Object.assign({ baseUrl: options.baseUrl }, hints.sources, {
    [prefix + 'PORT']: env('PORT') || undefined,
  })
  const names = Object.keys(sources)
  const source = names.find((name) => sources[name] != null)
  if (!source)
    throw new SidecarError('CONFIG', 'Nothing says where the sidecar is', {
      hint: `Give ${names.join(' or ')}; npx gameserver-sidecar exec -- <command> sets it`,
    })
  const value = String(sources[source])
  const url = /^\d+$/.test(value)
    ? // An IPv6 address needs brackets.
      `http://${(env('HOST') || 'localhost').replace(/^[^[]*:.*/, '[$&]')}:${value}`
    : (value[0] === '/' ? (globals().location?.origin ?? '') : '') + value
  const port = Number((/:(\d+)(\/|$)/.exec(url) ?? [])[1] || 1)
  check(
    /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/.test(url) &&
      port > 0 &&
      port < 65536 &&
      // A link must not lead a page to a stranger's server.
      (source !== QUERY || value[0] === '/' || ON_THIS_MACHINE.test(url)),
    source,
    url,
    'a port, or a URL such as http://localhost:9358',
  )
  return { platform, baseUrl: url.replace(/\/+$/, '') }
}
