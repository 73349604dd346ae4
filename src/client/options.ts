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

const autoHealthDefaults = { check: () => true, stallTimeout: 3000 } as const

const NAMES =
  'baseUrl platform autoHealth watch crossOrigin int64 timeout retry signal verifyInterval limits fetch WebSocket ' +
  'XMLHttpRequest TextDecoder scheduler now random logger shutdownOnPageHide processSignals'

/** @throws SidecarError `CONFIG` where an option doesn't exist or can't be right */
export function resolveOptions(given: ClientOptions): ResolvedOptions {
  checkNames(given, NAMES.split(' '), 'option')
  const options = { ...without(given), random: given.random ?? Math.random }
  const resolved = {
    ...defaults,
    ...options,
    once: given.retry === false,
    retry: fill('retry', given.retry || {}, defaults.retry),
    limits: fill('limits', given.limits ?? {}, defaults.limits),
  }
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
  checkNames(options, ['interval', 'check', 'stallTimeout', 'worker'], 'option autoHealth.')
  const resolved = { ...autoHealthDefaults, worker: inPage, ...without(options) }
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

/** `undefined` means the default, as in a destructuring. */
function without<T extends object>(given: T): T {
  const result = { ...given }
  for (const name of Object.keys(result) as (keyof T)[]) if (result[name] === undefined) delete result[name]
  return result
}

function fill<T extends object>(option: string, given: T, byDefault: Required<T>): Required<T> {
  checkNames(given, Object.keys(byDefault), `option ${option}.`)
  const filled: Required<T> = { ...byDefault, ...without(given) }
  for (const name of Object.keys(byDefault) as (keyof T & string)[]) positive(`${option}.${name}`, filled[name])
  return filled
}

function positive(name: string, value: unknown): void {
  check(typeof value === 'number' && value > 0, name, value, 'a number above 0')
}

function oneOf(name: string, value: string, ...values: string[]): void {
  check(values.includes(value), name, value, values.join(' or '))
}
