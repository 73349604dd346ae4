const maxInt64 = 2n ** 63n - 1n
const minInt64 = -(2n ** 63n)
const maxDigits = 19
const decimalNumber = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** The decimal text of an int64; undefined for another value or an inexact number. */
export function toInt64(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined
  if (typeof value !== 'bigint' && typeof value !== 'string') return undefined
  const text = String(value)
  if (!/^-?\d{1,40}$/.test(text)) return undefined
  return inRange(BigInt(text))
}

/** The decimal text of an integer of at least 0; undefined for anything else. */
export function toNatural(value: unknown): string | undefined {
  const integer = toInt64(value)
  return integer?.startsWith('-') === true ? undefined : integer
}

/**
 * The decimal text of an int64 in JSON: `10`, `10.0` and `1e1` are all 10. Undefined for a fraction, for more than 64
 * bits and for other text. Exact: it uses no floating-point number.
 */
export function parseInt64(text: string): string | undefined {
  const match = decimalNumber.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const digits = whole + fraction
  // Loops, since a pattern for trailing zeros takes quadratic time on a long run of zeros.
  let start = 0
  while (digits[start] === '0') start++
  if (start === digits.length) return '0'
  let end = digits.length
  while (digits[end - 1] === '0') end--
  const point = whole.length + Number(exponent)
  if (end > point || point - start > maxDigits) return undefined
  return inRange(BigInt(`${sign ?? ''}${digits.slice(start, end)}${'0'.repeat(point - end)}`))
}

function inRange(integer: bigint): string | undefined {
  return integer > maxInt64 || integer < minInt64 ? undefined : integer.toString()
}

/** The sum of two int64. Like the real sidecar, it wraps around beyond 64 bits. */
export function addInt64(a: string, b: string): string {
  return BigInt.asIntN(64, BigInt(a) + BigInt(b)).toString()
}

/** Whether `a` is less than `b`, both decimal text. */
export function lessThan(a: string, b: string): boolean {
  return BigInt(a) < BigInt(b)
}

/**
 * Milliseconds of a reservation. The real sidecar counts nanoseconds in 64 bits, so more than `maxReserveSeconds` wraps
 * around, mostly to a time that has already passed.
 */
export function reserveMilliseconds(seconds: string): number {
  const nanoseconds = BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n)
  return Math.max(0, Math.ceil(Number(nanoseconds) / 1_000_000))
}
