import type { GameServer } from '../protocol/game-server.js'
import { SidecarError } from './errors.js'

/** The member of a map under a key, and nothing inherited: keys such as `__proto__` come from outside. */
export function own<T>(map: Record<string, T> | null | undefined, key: string): T | undefined {
  return map && {}.hasOwnProperty.call(map, key) ? map[key] : undefined
}

/** Whether two values of JSON are the same. Every sidecar writes the keys of an object in one order. */
export function equal(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

const isObject = (value: unknown): value is Record<string, unknown> => !!value && typeof value === 'object'

/** Whether a value from outside has the shape that everything here relies on. */
export function isGameServer(value: unknown): value is GameServer {
  return isObject(value) && isObject(value.object_meta) && isObject(value.status)
}

/**
 * Whether a GameServer tells something new after the last one seen: it differs, and it isn't an older state of the same
 * object. The sidecar's local mode never moves its version, so there each object is taken as it comes.
 */
export function isNews(last: GameServer | undefined, next: GameServer): boolean {
  if (!last) return true
  const { object_meta: a } = last
  const { object_meta: b } = next
  const growth = Number(b.resource_version) - Number(a.resource_version)
  return growth && a.uid === b.uid && a.creation_timestamp === b.creation_timestamp ? growth > 0 : !equal(last, next)
}

/** Whether a watch would have told the difference: in local mode it says nothing of counters and lists. */
export function isToldByWatch(last: GameServer, next: GameServer): boolean {
  return !equal(last.object_meta, next.object_meta) || last.status.state !== next.status.state
}

/** The platform's rules for beats. */
export interface HealthRules {
  readonly disabled: boolean
  /** ms between beats */
  readonly rhythm: number
  /** ms without a beat that are too many; undefined where it isn't said */
  readonly limit: number | undefined
}

/** ms between beats, where the GameServer doesn't say how often they must come */
const DEFAULT_RHYTHM = 2000

/** @param interval ms between beats, where the user has chosen it */
export function healthRulesOf(gameServer: GameServer | undefined, interval: number | undefined): HealthRules {
  const { disabled, period_seconds = 0, failure_threshold = 0 } = gameServer?.spec?.health ?? {}
  const period = period_seconds * 1000
  return {
    disabled: !!disabled,
    rhythm: interval || period / 2 || DEFAULT_RHYTHM,
    limit: period * failure_threshold || undefined,
  }
}

/** The error for a state that nothing leads out of. */
export function lostGameServer(state: string): SidecarError {
  return new SidecarError('UNAVAILABLE', `This GameServer is ${state}`, { hint: 'End the process' })
}
