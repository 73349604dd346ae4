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

/** Whether something from outside has the shape that everything here relies on. */
export function isGameServer(value: unknown): value is GameServer {
  const { object_meta, status } = Object(value) as GameServer
  return isObject(object_meta) && isObject(status)
}

/** What the platform expects of beats; anything in it that can't be right counts as not said. */
export function healthSpecOf(gameServer: GameServer | undefined): HealthSpec {
  const {
    disabled,
    period_seconds: period,
    failure_threshold: threshold,
  } = Object(gameServer?.spec?.health) as HealthSpec
  return {
    disabled: disabled === true,
    ...(isBetween(period, 1, 3600) && { period_seconds: period }),
    ...(isBetween(threshold, 1, 1e6) && { failure_threshold: threshold }),
  }
}

function isBetween(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && value >= least && value <= most
}
