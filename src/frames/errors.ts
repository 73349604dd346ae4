import type { FrameError, FrameErrorCode, WebSocketOptions } from './types.js'

/** The error for a stream that is refused. */
export const frameError = (code: FrameErrorCode, reason: string | number = code): FrameError =>
  Object.assign(new Error(`WebSocket refused: ${reason}`), { name: 'FrameError', code } as const)

/** Hands an error to the host's own report, as an unhandled rejection: the only such place that needs no timer. */
const reportToHost = (error: unknown): void => void Promise.reject(error)

/**
 * Calls a function of the host, if there is one, as a method of `host`. An error that it throws must not cut a stream in
 * two: it is reported.
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
    reportToHost(error)
    return undefined
  }
}

/** @throws RangeError for what is no number from 0 on */
export function checkNumbers(options: WebSocketOptions): void {
  for (const name of ['timeout', 'maxMessage', 'maxFragments'] as const) {
    const value = options[name] ?? 0
    if (!(value >= 0)) throw new RangeError(`${name} must be a number from 0 on; got ${String(value)}`)
  }
}
