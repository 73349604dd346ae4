import { formatInteger } from '../protocol/int64.js'
import { show } from './checks.js'
import { SidecarError } from './errors.js'
import type { ClientOptions } from './option-types.js'
import type { Counter, List } from './types.js'

declare const BigInt: (text: string) => unknown

/** Turns counters and lists from the sidecar's form into the user's. */
export interface Resources {
  /** @throws SidecarError `PROTOCOL` where it is none, `UNSAFE_INTEGER` where a number can't hold a value exactly */
  toCounter(name: string, raw: object): Counter
  /** @throws SidecarError as `toCounter` */
  toList(name: string, raw: object): List
}

export function createResources(int64: NonNullable<ClientOptions['int64']>): Resources {
  function toInteger(value: unknown): number {
    const text = formatInteger(value)
    if (text === undefined) throw new SidecarError('PROTOCOL', `${show(value)} is not an integer`)
    if (int64 === 'bigint') return BigInt(text) as number
    const number = Number(text)
    if (Number.isSafeInteger(number)) return number
    throw new SidecarError('UNSAFE_INTEGER', `A number cannot hold ${text} exactly`)
  }

  return {
    toCounter(name, raw) {
      const { count, capacity } = raw as Record<string, unknown>
      return { name, count: toInteger(count), capacity: toInteger(capacity) }
    },

    toList(name, raw) {
      const { capacity, values } = raw as Record<string, unknown>
      const list: unknown = values || []
      if (!Array.isArray(list) || list.some((value) => typeof value !== 'string'))
        throw new SidecarError('PROTOCOL', `${show(list)} is not a list`)
      return { name, capacity: toInteger(capacity), values: list as string[] }
    },
  }
}
