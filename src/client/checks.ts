import { compareDecimals, formatInt64 } from '../protocol/int64.js'
import { annotationLimit, labelValue, maxReserveSeconds, metadataKey } from '../protocol/names.js'
import { SidecarError } from './errors.js'

function refuse(operation: string, message: string, hint: string): never {
  throw new SidecarError('INVALID_ARGUMENT', message, { operation, hint })
}

function quote(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : String(value)
}

/** The decimal text of an integer that is to be sent. */
export function checkInteger(operation: string, name: string, value: unknown): string {
  return (
    formatInt64(value) ??
    refuse(operation, name + ' is ' + quote(value), 'Give an integer of 64 bits: a safe number, a bigint or a decimal string.')
  )
}

export function checkSeconds(operation: string, value: unknown): string {
  const seconds = checkInteger(operation, 'seconds', value)
  if (seconds[0] === '-' || compareDecimals(seconds, String(maxReserveSeconds)) > 0)
    refuse(operation, 'seconds is ' + seconds, 'Give 0 to ' + maxReserveSeconds + '; more overflows in the sidecar.')
  return seconds
}

export function checkText(operation: string, name: string, value: unknown): string {
  return typeof value === 'string' ? value : refuse(operation, name + ' is ' + quote(value), 'Give a string.')
}

/** Refused here because the sidecar accepts some of these keys and then writes no metadata at all any more. */
export function checkMetadata(operation: string, key: unknown, value: unknown): void {
  if (!metadataKey.test(checkText(operation, 'key', key)))
    refuse(operation, 'key is ' + quote(key), 'Use 1 to 59 letters, digits, "-", "_" or ".", a letter or digit at both ends.')
  const text = checkText(operation, 'value', value)
  if (operation === 'setAnnotation') {
    if (text.length > annotationLimit) refuse(operation, 'value is too long', 'All annotations together hold 256 KiB.')
  } else if (!labelValue.test(text))
    refuse(
      operation,
      'value is ' + quote(value),
      'Use up to 63 letters, digits, "-", "_" or ".", a letter or digit at both ends; an annotation holds anything.',
    )
}

/** The encoded form of a counter's or list's name. */
export function checkName(operation: string, name: unknown): string {
  const text = checkText(operation, 'key', name)
  try {
    if (!/^\.{0,2}$|\//.test(text)) return encodeURIComponent(text)
  } catch {
    // half a surrogate pair
  }
  return refuse(operation, 'key is ' + quote(name), 'Use the name from the GameServer spec, without "/".')
}
