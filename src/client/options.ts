import { checkNames } from './checks.js'
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

/** The options with every default in place, but for what is looked up in the host at each use. */
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

/** The options that are given, and the default of each that isn't, or is undefined. */
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
