declare const crypto: { getRandomValues(words: Uint32Array): Uint32Array } | undefined

/** Unpredictable where the host can be, as masks and keys should be; `Math.random` elsewhere. */
export const defaultRandom = (): number =>
  typeof crypto === 'object' ? crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32 : Math.random()
