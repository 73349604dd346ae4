/** Seeded random numbers, so that a failed run can be repeated. */
export interface Random {
  /** From 0 up to 1. */
  next(): number
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number
  chance(share: number): boolean
  pick<T>(values: readonly T[]): T
}

/** mulberry32 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    between,
    chance: (share) => next() < share,
    pick: (values) => values[between(0, values.length - 1)]!,
  }
}
