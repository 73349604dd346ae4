import { duration } from '../common/format.js'

/** A time that is being counted: with tenths while it is short. */
export const countedTime = (ms: number): string =>
  ms < 10_000 ? `${(Math.max(0, ms) / 1000).toFixed(1)} s` : duration(ms)

/** A length of time that somebody chose: `500 ms`, `2.5 s`. */
export const span = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`)
