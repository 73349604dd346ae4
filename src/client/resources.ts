import { formatInteger } from '../protocol/int64.js'
import { fail, type Subject } from './errors.js'
import type { ClientOptions, Counter, List } from './types.js'

declare const BigInt: (text: string) => unknown

/** Gives an int64 back in the chosen form. A value that a number can't hold exactly is an error. */
function parseInteger({ int64 }: ClientOptions, value: unknown, subject: Subject): number {
  const text = formatInteger(value)
  if (!text) throw fail('PROTOCOL', 'Not an integer: ' + value, subject)
  if (int64 === 'bigint') return BigInt(text) as number
  if (!formatInteger(+text)) throw fail('UNSAFE_INTEGER', text, subject)
  return +text
}

/** A counter as the sidecar sends it; throws where it is none. */
export function toCounter(options: ClientOptions, subject: Subject, name: string, raw: object): Counter {
  const { count, capacity } = raw as Record<string, unknown>
  return {
    name,
    count: parseInteger(options, count, subject),
    capacity: parseInteger(options, capacity, subject),
  }
}

/** A list as the sidecar sends it; throws where it is none. */
export function toList(options: ClientOptions, subject: Subject, name: string, raw: object): List {
  const { capacity, values } = raw as Record<string, unknown>
  const list = values || []
  if (!Array.isArray(list)) throw fail('PROTOCOL', 'Not a list', subject)
  return { name, capacity: parseInteger(options, capacity, subject), values: list }
}
