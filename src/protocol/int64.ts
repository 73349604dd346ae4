/**
 * The decimal text of an integer, or undefined where the value is none: a fraction, a number too large to be exact,
 * text that isn't decimal. Nothing is ever rounded; whether 64 bits hold it is for the sidecar to say.
 */
export function formatInteger(value: unknown): string | undefined {
  const text = String(value)
  return (typeof value === 'number' ? Number.isSafeInteger(value) : /^-?\d+$/.test(text)) ? text : undefined
}
