/** The next state of a generator of random numbers, and its number from 0 to below 1 (mulberry32). */
export function nextRandom(state: number): { readonly state: number; readonly value: number } {
  const next = (state + 0x6d2b79f5) | 0
  let mixed = Math.imul(next ^ (next >>> 15), next | 1)
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
  return { state: next, value: ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 }
}
