import type { FrameError, FrameErrorCode, WebSocketOptions } from './types.js'

/** The error of a refused stream. */
export const frameError = (code: FrameErrorCode, reason: string | number = code): FrameError =>
  Object.assign(new Error(`WebSocket refused: ${reason}`), { name: 'FrameError', code } as const)

/**
 * Calls an optional function of the host as a method of `host`, and reports its error, which must not break the stream.
 */
export function callHost<A, B, R>(
  host: unknown,
  method: ((this: never, a: A, b: B) => R) | null | undefined,
  a: A,
  b?: B,
): R | undefined {
  try {
    return method?.call(host as never, a, b!)
  } catch (error) {
    // The host hears of an unhandled rejection, which needs no timer.
    void Promise.reject(error)
    return undefined
  }
}

/** @throws RangeError for a value that isn't a number of at least 0 */
export function checkNumbers(options: WebSocketOptions): void {
  for (const name of ['timeout', 'maxMessage', 'maxFragments'] as const) {
    const value = options[name] ?? 0
    if (!(value >= 0)) throw new RangeError(`${name} must be a number from 0 on; got ${String(value)}`)
  }
}
