import { check, checkNames } from './runtime/validate.js'
import type { AutoHealthOptions, ClientOptions, Limits, RetryPolicy, WatchOptions } from './types.js'

/** The options with every default in place, but for what is looked up in the host at each use. */
export interface ResolvedOptions extends Omit<ClientOptions, 'retry'> {
  watch: 'auto' | 'websocket' | 'stream'
  crossOrigin: 'auto' | 'direct' | 'never'
  int64: 'number' | 'bigint'
  /** ms */
  timeout: number
  /** ms */
  verifyInterval: number
  retry: Required<RetryPolicy>
  /** One attempt a call. */
  once: boolean
  limits: Required<Limits>
  random(): number
}

export type ResolvedAutoHealth = Required<Omit<AutoHealthOptions, 'interval'>> & Pick<AutoHealthOptions, 'interval'>

const defaults = {
  watch: 'auto',
  crossOrigin: 'auto',
  int64: 'number',
  timeout: 10_000,
  verifyInterval: 10_000,
  retry: { initialDelay: 250, factor: 1.6, maxDelay: 5000, timeout: 60_000 },
  limits: { message: 1 << 24, body: 1 << 24 },
} satisfies Partial<ClientOptions>

const NAMES =
  'baseUrl platform autoHealth watch crossOrigin int64 timeout retry signal verifyInterval limits fetch WebSocket ' +
  'XMLHttpRequest TextDecoder scheduler now random logger shutdownOnPageHide processSignals'

/** @throws SidecarError `CONFIG` where an option doesn't exist or can't be right */
export function resolveOptions(given: ClientOptions): ResolvedOptions {
  checkNames(given, NAMES.split(' '), 'option')
  const resolved = Object.assign(withDefaults(defaults, given), {
    random: given.random ?? Math.random,
    once: given.retry === false,
    retry: withNumbers('retry', defaults.retry, given.retry || {}),
    limits: withNumbers('limits', defaults.limits, given.limits ?? {}),
  })
  oneOf('watch', resolved.watch, 'auto', 'websocket', 'stream')
  oneOf('int64', resolved.int64, 'number', 'bigint')
  oneOf('crossOrigin', resolved.crossOrigin, 'auto', 'direct', 'never')
  positive('timeout', resolved.timeout)
  if (resolved.verifyInterval !== 0) positive('verifyInterval', resolved.verifyInterval)
  return resolved
}

/** @param inPage whether the host is a page, where workers are the rule */
export function resolveAutoHealth(given: boolean | AutoHealthOptions, inPage: boolean): ResolvedAutoHealth {
  const options = typeof given === 'object' ? given : {}
  checkNames(options, ['interval', 'check', 'stallTimeout', 'worker'], 'autoHealth option')
  const resolved = withDefaults({ check: () => true, stallTimeout: 3000, worker: inPage }, options)
  if (resolved.interval !== undefined) positive('autoHealth.interval', resolved.interval)
  positive('autoHealth.stallTimeout', resolved.stallTimeout)
  return resolved
}

/** @throws SidecarError `INVALID_ARGUMENT` */
export function checkWatchOptions(options: WatchOptions): void {
  const operation = 'watchGameServer'
  const { queue = 1, overflow = 'drop' } = options
  checkNames(options, ['signal', 'queue', 'overflow'], 'option', operation)
  check(
    queue === Infinity || (Number.isInteger(queue) && queue > 0),
    'queue',
    queue,
    'a whole number above 0',
    operation,
  )
  check(['drop', 'fail'].includes(overflow), 'overflow', overflow, 'drop or fail', operation)
}

/** The defaults, overridden by what is given: `undefined` means the default, as in a destructuring. */
function withDefaults<D extends object, G extends object>(byDefault: D, given: G): D & G {
  const result = Object.assign({}, byDefault) as D & G
  for (const name of Object.keys(given) as (keyof G)[])
    if (given[name] !== undefined) result[name] = given[name] as (D & G)[keyof G]
  return result
}

/** The same for options of which all are numbers above 0. */
function withNumbers<T extends object>(option: string, byDefault: T, given: object): T {
  const names = Object.keys(byDefault)
  checkNames(given, names, `${option} option`)
  const result = withDefaults(byDefault, given)
  for (const name of names) positive(`${option}.${name}`, result[name as keyof T])
  return result
}

function positive(name: string, value: unknown): void {
  check(typeof value === 'number' && value > 0, name, value, 'a number above 0')
}

function oneOf(name: string, value: string, ...values: string[]): void {
  check(values.includes(value), name, value, values.join(' or '))
}
