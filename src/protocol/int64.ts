const max = '9223372036854775807'

/**
 * The decimal text of an int64, or undefined where the value is none: a fraction, a number too large to be exact,
 * text that isn't decimal, anything beyond 64 bits. Nothing is ever rounded.
 */
export function formatInt64(value: unknown): string | undefined {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return undefined
  const match = /^(-?)0*(\d+)$/.exec(typeof value === 'object' ? '' : String(value))
  if (!match) return undefined
  const digits = match[2]!
  const negative = match[1] && digits !== '0'
  const limit = negative ? max.slice(0, -1) + '8' : max
  return compareDecimals(digits, limit) > 0 ? undefined : (negative ? '-' : '') + digits
}

/** Compares two decimal texts without sign and without leading zeros; below 0 if `a` is the smaller. */
export function compareDecimals(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}
