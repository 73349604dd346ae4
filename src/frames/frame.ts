import type { FrameError, FrameErrorCode } from './types.js'

export const CONTINUATION = 0
export const TEXT = 1
export const BINARY = 2
export const CLOSE = 8
export const PING = 9
export const PONG = 10

/** Encodes a client's frame, whole and with its mask. `random` gives numbers from 0 up to 1. */
export function encodeFrame(opcode: number, payload: ArrayLike<number>, random: () => number): Uint8Array {
  const { length } = payload
  const lengthBytes = length < 126 ? 0 : length < 65536 ? 2 : 8
  const mask = 2 + lengthBytes
  const start = mask + 4
  const frame = new Uint8Array(start + length)
  frame[0] = 0x80 | opcode
  frame[1] = 0x80 | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127)
  // An element of a byte array takes the lowest eight bits of a number, without its fraction.
  for (let at = mask - 1, rest = length; at > 1; at--, rest /= 256) frame[at] = rest
  for (let at = mask; at < start; at++) frame[at] = random() * 256
  for (let at = 0; at < length; at++) frame[start + at] = payload[at]! ^ frame[mask + (at % 4)]!
  return frame
}

/** The error for a stream that is refused. */
export const frameError = (code: FrameErrorCode, reason: string | number = code): FrameError =>
  Object.assign(new Error(`WebSocket refused: ${reason}`), { name: 'FrameError', code } as const)

/**
 * Calls a function of the host, if there is one. An error that it throws must not cut a stream in two, so it is re-thrown
 * where the host reports errors: as an unhandled rejection, which is the only such place that needs no timer.
 */
export function callHost<A, B>(listener: ((a: A, b: B) => unknown) | null | undefined, a: A, b?: B): void {
  try {
    listener?.(a, b!)
  } catch (error) {
    void Promise.reject(error)
  }
}
