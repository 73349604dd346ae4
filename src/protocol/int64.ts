/**
 * The decimal text of an integer, or undefined where the value is none: a fraction, a number too large to be exact,
 * text that isn't decimal. Nothing is ever rounded; whether 64 bits hold it is for the sidecar to say.
 */
export function formatInteger(value: unknown): string | undefined {
  const isInteger =
    typeof value === 'number'
      ? Number.isSafeInteger(value)
      : typeof value === 'bigint' || (typeof value === 'string' && /^-?\d+$/.test(value))
  return isInteger ? String(value) : undefined
}
