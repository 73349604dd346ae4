/**
 * Returns an integer as decimal text. Returns undefined for anything else: a fraction, a number too large to be exact,
 * or text that isn't decimal. It never rounds; the sidecar checks that 64 bits hold the value.
 */
export function formatInteger(value: unknown): string | undefined {
  const isInteger =
    typeof value === 'number'
      ? Number.isSafeInteger(value)
      : typeof value === 'bigint' || (typeof value === 'string' && /^-?\d+$/.test(value))
  return isInteger ? String(value) : undefined
}
