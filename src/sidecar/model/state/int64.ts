const maxInt64 = 2n ** 63n - 1n
const minInt64 = -(2n ** 63n)

/** The decimal text of an int64; undefined for anything that is none or can't be exact. */
export function toInt64(value: unknown): string | undefined {
  if (
    typeof value === 'number' ? !Number.isSafeInteger(value) : typeof value !== 'bigint' && typeof value !== 'string'
  ) {
    return undefined
  }
  const text = String(value)
  if (!/^-?\d{1,40}$/.test(text)) return undefined
  const integer = BigInt(text)
  return integer > maxInt64 || integer < minInt64 ? undefined : integer.toString()
}

/** The sum of two int64 as the real sidecar adds them: beyond 64 bits it wraps around. */
export function addInt64(a: string, b: string): string {
  return BigInt.asIntN(64, BigInt(a) + BigInt(b)).toString()
}

/** Whether `a` is less than `b`, both decimal text. */
export function lessThan(a: string, b: string): boolean {
  return BigInt(a) < BigInt(b)
}

/** The largest number of seconds whose nanoseconds fit into 64 bits. */
export const longestReservation = '9223372036'

/**
 * Milliseconds of a reservation of so many seconds. The real sidecar counts nanoseconds in 64 bits, so that a
 * longer one than `longestReservation` wraps around, mostly to a time that has already passed.
 */
export function reserveMilliseconds(seconds: string): number {
  const nanoseconds = BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n)
  return Math.max(0, Math.ceil(Number(nanoseconds) / 1_000_000))
}
