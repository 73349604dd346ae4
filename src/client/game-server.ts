import type { GameServer } from '../protocol/game-server.js'
import { formatInteger, show } from './checks.js'
import { SidecarError } from './errors.js'
import type { ClientOptions } from './options.js'
import type { Counter, List } from './types.js'

/** A map's own value for a key, never an inherited one: keys such as `__proto__` come from outside. */
export function own<T>(map: Record<string, T> | null | undefined, key: string): T | undefined {
  return map && {}.hasOwnProperty.call(map, key) ? map[key] : undefined
}

/** Whether two values of JSON are the same. Every sidecar writes the keys of an object in one order. */
export function equal(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

/**
 * Whether a GameServer tells something new after the last one seen: it differs, and it isn't an older state of the same
 * object. The sidecar's local mode never changes the version, so each of its objects counts as new.
 */
export function isNews(last: GameServer | undefined, next: GameServer): boolean {
  if (!last) return true
  const { object_meta: a } = last
  const { object_meta: b } = next
  const growth = Number(b.resource_version) - Number(a.resource_version)
  return growth && a.uid === b.uid && a.creation_timestamp === b.creation_timestamp ? growth > 0 : !equal(last, next)
}

/** Whether a watch would have shown the difference: in local mode, it shows no counters or lists. */
export function isShownByWatch(last: GameServer, next: GameServer): boolean {
  return !equal(last.object_meta, next.object_meta) || last.status.state !== next.status.state
}

/** ms between beats if the GameServer gives no period */
const DEFAULT_RHYTHM = 2000

/**
 * The platform's rules for beats.
 *
 * @param interval ms between beats, if the user has chosen it
 */
export function healthRulesOf(gameServer: GameServer | undefined, interval: number | undefined) {
  const { disabled, period_seconds = 0, failure_threshold = 0 } = gameServer?.spec?.health ?? {}
  const period = period_seconds * 1000
  return {
    disabled: !!disabled,
    /** ms between beats */
    rhythm: interval || period / 2 || DEFAULT_RHYTHM,
    /** ms without a beat after which the GameServer is Unhealthy; undefined if not stated */
    limit: period * failure_threshold || undefined,
  }
}

/** The error for a final state. */
export function lostGameServer(state: string): SidecarError {
  return new SidecarError('UNAVAILABLE', `This GameServer is ${state}`, { hint: 'End the process' })
}

declare const BigInt: (text: string) => unknown

export type Resources = ReturnType<typeof createResources>

/**
 * Turns counters and lists from the sidecar's form into the user's. Both functions throw a SidecarError: `PROTOCOL` for
 * a malformed value, `UNSAFE_INTEGER` if a number can't hold it exactly.
 */
export function createResources(int64: NonNullable<ClientOptions['int64']>) {
  function toInteger(value: unknown): number {
    const text = formatInteger(value)
    if (text === undefined) throw new SidecarError('PROTOCOL', `${show(value)} is not an integer`)
    if (int64 === 'bigint') return BigInt(text) as number
    const number = Number(text)
    if (Number.isSafeInteger(number)) return number
    throw new SidecarError('UNSAFE_INTEGER', `A number cannot hold ${text} exactly`)
  }

  return {
    toCounter(name: string, raw: object): Counter {
      const { count, capacity } = raw as Record<string, unknown>
      return { name, count: toInteger(count), capacity: toInteger(capacity) }
    },

    toList(name: string, raw: object): List {
      const { capacity, values } = raw as Record<string, unknown>
      const list: unknown = values || []
      if (!Array.isArray(list) || list.some((value) => typeof value !== 'string'))
        throw new SidecarError('PROTOCOL', `${show(list)} is not a list`)
      return { name, capacity: toInteger(capacity), values: list as string[] }
    },
  }
}
