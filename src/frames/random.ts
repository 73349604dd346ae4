import type { DecoderHost } from './types.js'

declare const crypto: { getRandomValues(bytes: Uint8Array): unknown } | undefined

/** Returns a number whose lowest eight bits are random. */
export type RandomByte = () => number

/** Bytes per call of the host, which costs as much as hundreds of bytes. */
const POOL = 1024

/** @param host may have `random`; default: `crypto`, or else `Math.random` */
export function createRandomByte(host: DecoderHost): RandomByte {
  let random = host.random && ((): number => host.random!())
  const pool = new Uint8Array(random === undefined ? POOL : 0)
  let used = POOL
  return () => {
    if (random !== undefined) return random() * 256
    if (used === POOL) {
      used = 0
      try {
        crypto!.getRandomValues(pool)
      } catch {
        // The host lacks `crypto`, or its `crypto` fails.
        random = Math.random
        return random() * 256
      }
    }
    return pool[used++]!
  }
}
