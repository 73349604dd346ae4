import { formatInteger } from '../protocol/int64.js'
import { annotationLimit, labelValue, maxReserveSeconds, metadataKey } from '../protocol/names.js'
import { fail } from './errors.js'

const word = ' letters, digits, "-", "_", ".", a letter or digit at both ends.'

/** Throws INVALID_ARGUMENT unless the test passed. */
export function check(passed: unknown, operation: string, what: string, value: unknown, hint: string): void {
  if (!passed) throw fail('INVALID_ARGUMENT', what + ' is ' + String(value).slice(0, 80), operation, undefined, hint)
}

/** The decimal text of an integer that is to be sent. */
export function checkInteger(operation: string, what: string, value: unknown): string {
  const text = formatInteger(value)
  check(text, operation, what, value, 'Give a safe integer, a bigint or a decimal string.')
  return text!
}

export function checkSeconds(operation: string, value: unknown): string {
  const text = checkInteger(operation, 'seconds', value)
  check(+text >= 0 && +text <= maxReserveSeconds, operation, 'seconds', text, 'Give 0 to ' + maxReserveSeconds + '.')
  return text
}

export function checkText(operation: string, what: string, value: unknown): void {
  check(typeof value === 'string', operation, what, value, 'Give a string.')
}

/** Refused here because the sidecar accepts some of these keys and then writes no metadata at all any more. */
export function checkMetadata(operation: string, key: string, value: string): void {
  checkText(operation, 'key', key)
  checkText(operation, 'value', value)
  check(metadataKey.test(key), operation, 'key', key, 'Use 1 to 59' + word)
  if (operation === 'setLabel') check(labelValue.test(value), operation, 'value', value, 'Use up to 63' + word)
  else check(value.length <= annotationLimit, operation, 'value', value, 'Annotations hold 256 KiB in all.')
}

/** The encoded form of a counter's or list's name. */
export function checkName(operation: string, name: string): string {
  let encoded = ''
  try {
    checkText(operation, 'key', name)
    // `.` and `..` would be taken for steps in the path
    encoded = /^\.{0,2}$|\//.test(name) ? '' : encodeURIComponent(name)
  } catch {
    // half a surrogate pair, or no text
  }
  check(encoded, operation, 'key', name, 'Give the name of the GameServer spec, without "/".')
  return encoded
}
