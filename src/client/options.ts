import { check } from './errors.js'
import type { ClientOptions, Limits, RetryPolicy } from './types.js'

/** The options with every default in place, but for what is looked up in the host at each use. */
export interface ResolvedOptions extends ClientOptions {
  watch: 'auto' | 'websocket' | 'stream'
  crossOrigin: 'auto' | 'direct' | 'never'
  timeout: number
  verifyInterval: number
  retry: Required<RetryPolicy>
  /** One attempt a call. */
  _once: boolean
  limits: Required<Limits>
  random(): number
}

/** @throws SidecarError `CONFIG` where a value can't be right */
export function resolveOptions(options: ClientOptions): ResolvedOptions {
  const { watch = 'auto', int64 = 'number', timeout = 10000, verifyInterval = 10000, retry } = options
  const { random = Math.random, crossOrigin = 'auto' } = options
  const oneOf = (what: string, value: string, ...values: string[]): void =>
    check(values.includes(value), what, value, values.join(' or '))
  oneOf('watch', watch, 'auto', 'websocket', 'stream')
  oneOf('int64', int64, 'number', 'bigint')
  oneOf('crossOrigin', crossOrigin, 'auto', 'direct', 'never')
  check(timeout > 0, 'timeout', timeout, 'ms above 0')
  const longest = 1 << 24
  return Object.assign({}, options, {
    watch,
    int64,
    crossOrigin,
    timeout,
    verifyInterval,
    random,
    retry: Object.assign({ initialDelay: 250, factor: 1.6, maxDelay: 5000, timeout: 60000 }, retry),
    _once: retry === false,
    limits: Object.assign({ message: longest, body: longest }, options.limits),
  })
}
