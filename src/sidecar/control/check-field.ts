import { lessThan, toInt64 } from '../model/state/int64.js'

/** The message about a wrong field of a command. */
export function mustBe(field: string, expected: string, value: unknown): string {
  const shown = JSON.stringify(value) ?? String(value)
  return `${field} must be ${expected}; got ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}`
}

/** The decimal text of an integer of at least 0; undefined for anything else. */
export function toNatural(value: unknown): string | undefined {
  const integer = toInt64(value)
  return integer === undefined || lessThan(integer, '0') ? undefined : integer
}

/** Longest time in milliseconds that a timer takes. */
const maxTime = 2 ** 31 - 1

/** The message about a field that is no time in milliseconds; undefined if it is one. */
export function timeProblem(field: string, value: unknown): string | undefined {
  const isTime = typeof value === 'number' && value >= 0 && value <= maxTime
  return isTime ? undefined : mustBe(field, `a number from 0 to ${maxTime}`, value)
}

export function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
