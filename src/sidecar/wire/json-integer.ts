const maxInt64 = 2n ** 63n - 1n
const minInt64 = -(2n ** 63n)
const maxDigits = 20

/** Everything the real sidecar's number reader trims from a string before it refuses the string for it. */
const space = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'
const surroundingSpace = new RegExp(`^${space}|${space}$`)
const number = /^(-?)(?:0|([1-9]\d*))(?:\.(\d+))?(?:[eE](?=.)((?:[+-](?=.))?\d*))?(?![-+._a-zA-Z\d])/s

/**
 * The int64 that a JSON number token stands for, as decimal text; fractions that are none (`10.0`) and
 * exponents
 * (`1e3`) are integers too. Undefined for anything else. Nothing goes through a floating-point number.
 */
export function integerFromNumber(token: string): string | undefined {
  const match = number.exec(token)
  if (!match) return undefined
  const digits = match[2] ?? ''
  const fraction = (match[3] ?? '').replace(/0+$/, '')
  if (digits === '' && fraction === '') return '0'
  const exponent = readExponent(match[4] ?? '')
  if (exponent === undefined) return undefined
  const shifted = shift(digits, fraction, exponent)
  if (shifted === undefined) return undefined
  const value = BigInt(match[1] + (shifted === '' ? '0' : shifted))
  return value > maxInt64 || value < minInt64 ? undefined : value.toString()
}

/** The same for a JSON string: the number may be followed by anything that isn't part of one. */
export function integerFromString(text: string): string | undefined {
  return surroundingSpace.test(text) ? undefined : integerFromNumber(text)
}

function readExponent(text: string): number | undefined {
  if (text === '') return 0
  if (!/\d/.test(text)) return undefined
  const value = Number(text)
  return Math.abs(value) > 2 ** 31 - 1 ? undefined : value
}

function shift(digits: string, fraction: string, exponent: number): string | undefined {
  if (exponent >= 0) {
    if (fraction.length > exponent || digits.length + exponent > maxDigits) return undefined
    return digits + fraction + '0'.repeat(exponent - fraction.length)
  }
  const whole = digits.length + exponent
  if (fraction !== '' || whole < 0 || /[1-9]/.test(digits.slice(whole))) return undefined
  return digits.slice(0, whole)
}
