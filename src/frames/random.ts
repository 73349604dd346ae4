import type { DecoderHost } from './types.js'

declare const crypto: { getRandomValues(bytes: Uint8Array): unknown } | undefined

/** Gives a number whose lowest eight bits are random. */
export type RandomByte = () => number

/** Bytes that are fetched at a time: a call of the host costs as much as hundreds of them. */
const POOL = 1024

/** @param host may have `random`; by default `crypto` is asked, or else `Math.random` */
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
        // A host without it, or with one that doesn't work.
        random = Math.random
        return random() * 256
      }
    }
    return pool[used++]!
  }
}
