import { ON_THIS_MACHINE } from './request.js'
import { check, checkNames } from './checks.js'
import { SidecarError } from './errors.js'
import { globals, tryTo } from './globals.js'
import type { AutoHealthOptions, ClientOptions, Limits, RetryPolicy } from './option-types.js'

const RETRY = { initialDelay: 250, factor: 1.6, maxDelay: 5000, timeout: 60_000 }
const LIMITS = { message: 1 << 24, body: 1 << 24 }
const DEFAULTS = {
  watch: 'auto' as NonNullable<ClientOptions['watch']>,
  crossOrigin: 'auto' as NonNullable<ClientOptions['crossOrigin']>,
  int64: 'number' as NonNullable<ClientOptions['int64']>,
  timeout: 10_000,
  verifyInterval: 10_000,
  random: () => Math.random(),
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

/** @throws SidecarError `CONFIG` where an option doesn't exist */
export function resolveOptions(given: ClientOptions): ResolvedOptions {
  const { retry, limits } = given
  return Object.assign(resolve('option', given, DEFAULTS, OTHERS.split(' ')), {
    once: retry === false,
    retry: resolve('retry option', retry || {}, RETRY),
    limits: resolve('limits option', limits ?? undefined, LIMITS),
  })
}

export type ResolvedAutoHealth = Required<Omit<AutoHealthOptions, 'interval'>> & Pick<AutoHealthOptions, 'interval'>

/** @param inPage whether the host is a page, where workers are the rule */
export function resolveAutoHealth(given: boolean | AutoHealthOptions, inPage: boolean): ResolvedAutoHealth {
  const defaults = { stallTimeout: 3000, check: () => true, worker: inPage }
  return resolve('autoHealth option', given === true ? {} : given || {}, defaults, ['interval'])
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
  const values = (given ?? {}) as Record<string, unknown>
  for (const name of Object.keys(values)) if (values[name] !== undefined) resolved[name] = values[name]
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

export interface Address {
  readonly platform: string
  /** The sidecar's address, without a slash at its end. */
  readonly baseUrl: string
}

export const QUERY = '?sidecar=PORT'

/**
 * Finds the address of the sidecar. The first source that is set wins: options, the hints of a page, the environment.
 *
 * @throws SidecarError `CONFIG` if no source is set, or a source's value is malformed
 */
export function locate(options: ClientOptions, hints: Hints): Address {
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
