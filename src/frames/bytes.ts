import type { DecoderHost } from './types.js'

/** Like `subarray`, which is slow for Node's Buffer. */
export const view = (bytes: Uint8Array, start: number, end: number): Uint8Array =>
  new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start)

/** One byte for each character; all must be below 256. */
export const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0))

export const EMPTY: Uint8Array = new Uint8Array(0)

/** The bytes of a buffer or a view, of any realm; undefined for other values. */
export function bytesIn(data: unknown): Uint8Array | undefined {
  if (data instanceof Uint8Array) return data
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  return Object.prototype.toString.call(data) === '[object ArrayBuffer]'
    ? new Uint8Array(data as ArrayBuffer)
    : undefined
}

declare const crypto: { getRandomValues(bytes: Uint8Array): unknown } | undefined

/** Returns so many random bytes. */
export type RandomBytes = (length: number) => Uint8Array

/** @param host may have `random`; default: `crypto`, or else `Math.random` */
export const createRandomBytes =
  (host: DecoderHost): RandomBytes =>
  (length) => {
    const bytes = new Uint8Array(length)
    try {
      if (host.random === undefined) {
        crypto!.getRandomValues(bytes)
        return bytes
      }
    } catch {
      // The host lacks `crypto`, or its `crypto` fails.
    }
    return bytes.map(() => (host.random?.() ?? Math.random()) * 256)
  }
