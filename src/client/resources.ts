import { formatInteger } from '../protocol/int64.js'
import { fail } from './errors.js'
import type { ClientOptions, Counter, List } from './types.js'

declare const BigInt: (text: string) => unknown

/** What an error says of where the value came from. */
type Source = Parameters<typeof fail>[2]

/** Gives an int64 back in the chosen form. A value that a number can't hold exactly is an error. */
function parseInteger({ int64 }: ClientOptions, value: unknown, source: Source): number {
  const text = formatInteger(value)
  if (!text) throw fail('PROTOCOL', 'Not an integer: ' + value, source)
  if (int64 === 'bigint') return BigInt(text) as number
  if (!Number.isSafeInteger(+text)) throw fail('UNSAFE_INTEGER', text, source)
  return +text
}

/** A counter as the sidecar sends it; throws where it is none. */
export function toCounter(options: ClientOptions, source: Source, name: unknown, raw: object): Counter {
  const { count, capacity } = raw as Record<string, unknown>
  return {
    name: name as string,
    count: parseInteger(options, count, source),
    capacity: parseInteger(options, capacity, source),
  }
}

/** A list as the sidecar sends it; throws where it is none. */
export function toList(options: ClientOptions, source: Source, name: unknown, raw: object): List {
  const { capacity, values } = raw as Record<string, unknown>
  const list = values || []
  if (!Array.isArray(list)) throw fail('PROTOCOL', 'Not a list', source)
  return { name: name as string, capacity: parseInteger(options, capacity, source), values: list }
}
