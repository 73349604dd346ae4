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

/** A number above 0 has its default here, a word all that it may be, the default first. */
type Rules = Readonly<Record<string, number | readonly string[]>>

const rules: Rules = {
  watch: ['auto', 'websocket', 'stream'],
  crossOrigin: ['auto', 'direct', 'never'],
  int64: ['number', 'bigint'],
  timeout: 10_000,
}
const retryRules: Rules = { initialDelay: 250, factor: 1.6, maxDelay: 5000, timeout: 60_000 }
const limitRules: Rules = { message: 1 << 24, body: 1 << 24 }

/** The options that have no rule, or one of their own. */
const OTHERS =
  'baseUrl platform autoHealth retry signal verifyInterval limits fetch WebSocket XMLHttpRequest TextDecoder ' +
  'scheduler now random logger shutdownOnPageHide processSignals'

/** @throws SidecarError `CONFIG` where an option doesn't exist or can't be right */
export function resolveOptions(given: ClientOptions): ResolvedOptions {
  checkGroup('options', given)
  const { random = Math.random, retry, limits, verifyInterval = 10_000 } = given
  if (verifyInterval !== 0) positive('verifyInterval', verifyInterval)
  return Object.assign(resolve('', given, rules, OTHERS.split(' ')), {
    random,
    verifyInterval,
    once: retry === false,
    retry: resolve('retry.', checkGroup('retry', retry, 'or false'), retryRules),
    limits: resolve('limits.', checkGroup('limits', limits), limitRules),
  }) as unknown as ResolvedOptions
}

/** @param inPage whether the host is a page, where workers are the rule */
export function resolveAutoHealth(given: boolean | AutoHealthOptions, inPage: boolean): ResolvedAutoHealth {
  const options: AutoHealthOptions = given === true ? {} : checkGroup('autoHealth', given, 'or a boolean')
  const { interval, check: isWell = () => true, worker = inPage } = options
  if (interval !== undefined) positive('autoHealth.interval', interval)
  return Object.assign(resolve('autoHealth.', options, { stallTimeout: 3000 }, ['interval', 'check', 'worker']), {
    check: isWell,
    worker,
  }) as unknown as ResolvedAutoHealth
}

/** @throws SidecarError `INVALID_ARGUMENT` */
export function checkWatchOptions(options: WatchOptions): void {
  const operation = 'watchGameServer'
  checkGroup('options', options, '', operation)
  const { queue = 1, overflow = 'drop' } = options
  checkNames(options, ['signal', 'queue', 'overflow'], 'option', operation)
  const isCount = queue === Infinity || (Number.isInteger(queue) && queue > 0)
  check(isCount, 'queue', queue, 'a whole number above 0', operation)
  check(['drop', 'fail'].includes(overflow), 'overflow', overflow, 'drop or fail', operation)
}

/** A group of options, or none where it isn't given or is switched off. */
function checkGroup<T extends object>(
  name: string,
  given: T | boolean | null | undefined,
  orElse = '',
  operation?: string,
): Partial<T> {
  const isNone = given === undefined || given === null || (given === false && !!orElse)
  check(isNone || typeof given === 'object', name, given, `an object ${orElse}`.trim(), operation)
  return typeof given === 'object' && given ? given : {}
}

/** Options with the default of each that isn't given or is undefined. */
function resolve(group: string, given: object, byRule: Rules, others: readonly string[] = []): object {
  checkNames(given, others.concat(Object.keys(byRule)), group.replace('.', ' ') + 'option')
  const resolved = Object.assign({}, given) as Record<string, unknown>
  for (const name of Object.keys(byRule)) {
    const rule = byRule[name]!
    const words = typeof rule === 'object' && rule
    const { [name]: value = words ? words[0] : rule } = resolved
    if (words) check(words.includes(value as string), group + name, value, words.join(' or '))
    else positive(group + name, value)
    resolved[name] = value
  }
  return resolved
}

function positive(name: string, value: unknown): void {
  check(typeof value === 'number' && value > 0, name, value, 'a number above 0')
}
