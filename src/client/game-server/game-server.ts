import type { GameServer, HealthSpec } from '../../protocol/game-server.js'

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
  /** Seconds within which a beat must come. */
  readonly period: number | undefined
  /** How many periods without a beat are too many. */
  readonly threshold: number | undefined
}

export function healthRulesOf(gameServer: GameServer | undefined): HealthRules {
  const { disabled, period_seconds, failure_threshold } = Object(gameServer?.spec?.health) as HealthSpec
  return {
    disabled: disabled === true,
    period: inRange(period_seconds, 3600),
    threshold: inRange(failure_threshold, 1e6),
  }
}

function inRange(value: unknown, most: number): number | undefined {
  return typeof value === 'number' && value >= 1 && value <= most ? value : undefined
}
