import { formatInteger } from '../protocol/int64.js'
import { fail } from './errors.js'

/** Gives the int64 of an answer back as the chosen type. A value that a number can't hold exactly is an error. */
export type ParseInteger = (text: unknown, operation: string) => number

declare const BigInt: (text: string) => unknown

export function createParseInteger(form: 'number' | 'bigint' | undefined): ParseInteger {
  return (value, operation) => {
    const text = formatInteger(value)
    if (!text) throw fail('PROTOCOL', 'Not an integer: ' + value, operation)
    if (form === 'bigint') return BigInt(text) as number
    if (!Number.isSafeInteger(+text)) throw fail('UNSAFE_INTEGER', text, operation)
    return +text
  }
}
