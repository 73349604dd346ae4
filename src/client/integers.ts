import { formatInt64 } from '../protocol/int64.js'
import { SidecarError } from './errors.js'

/** Gives the int64 of an answer back as the chosen type. A value that a number can't hold exactly is an error. */
export type ParseInteger = (text: unknown, operation: string) => number

declare const BigInt: (text: string) => unknown

export function createParseInteger(form: 'number' | 'bigint' | undefined): ParseInteger {
  return (value, operation) => {
    // protojson leaves nothing out, but other sidecars may leave out a zero
    const text = formatInt64(value ?? 0)
    if (text === undefined) throw new SidecarError('PROTOCOL', 'Not an integer: ' + String(value), { operation })
    if (form === 'bigint') return BigInt(text) as number
    const number = Number(text)
    if (!Number.isSafeInteger(number))
      throw new SidecarError('UNSAFE_INTEGER', text + ' is too large for a number', { operation })
    return number
  }
}
