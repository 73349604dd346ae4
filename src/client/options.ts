import type { ClientOptions, Limits, RetryPolicy } from './types.js'

/** The options with every default in place, but for what is looked up in the host at each use. */
export interface ResolvedOptions extends ClientOptions {
  watch: 'auto' | 'websocket' | 'stream'
  timeout: number
  verifyInterval: number
  retry: Required<RetryPolicy>
  /** One attempt a call. */
  _once: boolean
  limits: Required<Limits>
  random(): number
}

export function resolveOptions(options: ClientOptions): ResolvedOptions {
  const { watch = 'auto', timeout = 10000, verifyInterval = 10000, random = Math.random, retry } = options
  const longest = 16 * 1024 * 1024
  return Object.assign({}, options, {
    watch,
    timeout,
    verifyInterval,
    random,
    retry: Object.assign({ initialDelay: 250, factor: 1.6, maxDelay: 5000, timeout: 60000 }, retry),
    _once: retry === false,
    limits: Object.assign({ message: longest, body: longest }, options.limits),
  })
}
