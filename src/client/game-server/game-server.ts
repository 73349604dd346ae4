import type { GameServer } from '../../protocol/game-server.js'
import { SidecarError } from '../runtime/errors.js'

type JsonMap<T> = Record<string, T> | null | undefined

/** The member of a map under a key, and nothing inherited: keys such as `__proto__` come from outside. */
export function own<T>(map: JsonMap<T>, key: string): T | undefined {
  return map && {}.hasOwnProperty.call(map, key) ? map[key] : undefined
}

/** Whether two values of JSON are the same, in any order of their keys. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b || !a || !b || typeof a !== 'object') return a === b
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => equal(own(a as JsonMap<unknown>, key), own(b as JsonMap<unknown>, key)))
  )
}

const isObject = (value: unknown): boolean => Object(value) === value

/** Whether a value from outside has the shape that everything here relies on. */
export function isGameServer(value: unknown): value is GameServer {
  const { object_meta, status } = Object(value) as GameServer
  return isObject(object_meta) && isObject(status)
}

/** The platform's rules for beats; a value that can't be right counts as none. */
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
  const { health } = gameServer?.spec ?? {}
  const { disabled, period_seconds, failure_threshold } = health ?? {}
  const period = inRange(period_seconds, 3600) * 1000
  return {
    disabled: disabled === true,
    rhythm: interval || period / 2 || DEFAULT_RHYTHM,
    limit: period * inRange(failure_threshold, 1e6) || undefined,
  }
}

/** The value, if it is a number from 1 to `most`; else 0. */
function inRange(value: unknown, most: number): number {
  return typeof value === 'number' && value >= 1 && value <= most ? value : 0
}

/** The error for a state that nothing leads out of. */
export function lostGameServer(state: string): SidecarError {
  return new SidecarError('UNAVAILABLE', `This GameServer is ${state}`, {
    hint: 'The sidecar ignores state calls from now on: end the process',
  })
}
