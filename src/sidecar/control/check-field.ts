import { isObject } from '../../protocol/is-object.js'
import { didYouMean } from '../../protocol/nearest.js'
import { lessThan, toInt64 } from '../model/state/int64.js'
import { mostNames } from '../model/state/object-limits.js'
import { excerpt, show } from '../model/state/show.js'

/** Checks a value, and returns the message about a wrong one. `where` names the value. */
export type Check = (value: unknown, where: string) => string | undefined

/** The message about a wrong field of a command. */
export function mustBe(field: string, expected: string, value: unknown): string {
  return `${field} must be ${expected}; got ${show(value)}`
}

/** The decimal text of an integer of at least 0; undefined for anything else. */
export function toNatural(value: unknown): string | undefined {
  const integer = toInt64(value)
  return integer === undefined || lessThan(integer, '0') ? undefined : integer
}

/** Makes a check of a test, and of the words for what passes it. */
export function check(expected: string, test: (value: unknown) => boolean): Check {
  return (value, where) => (test(value) ? undefined : mustBe(where, expected, value))
}

export const text = check('text', (value) => typeof value === 'string')
export const name = check('non-empty text', (value) => typeof value === 'string' && value !== '')
export const boolean = check('true or false', (value) => typeof value === 'boolean')
export const natural = check('an integer of at least 0', (value) => toNatural(value) !== undefined)

/** An integer, as a number, from one to another. */
export function integer(least: number, most: number): Check {
  const expected = most === Infinity ? `an integer of at least ${least}` : `an integer from ${least} to ${most}`
  const test = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= least && Number(value) <= most
  return check(expected, test)
}

/** Longest time in milliseconds that a timer takes. */
const maxTime = 2 ** 31 - 1

/** A time in milliseconds. */
export const time = check(
  `a number from 0 to ${maxTime}`,
  (value) => typeof value === 'number' && value >= 0 && value <= maxTime,
)

export function oneOf(...values: readonly string[]): Check {
  return check(values.map((value) => JSON.stringify(value)).join(' or '), (value) => values.includes(value as string))
}

/** A list of which every item passes. */
export function listOf(item: Check): Check {
  return (value, where) => {
    if (!Array.isArray(value)) return mustBe(where, 'a list', value)
    for (let i = 0; i < value.length; i++) {
      const problem = item(value[i], `${where}[${i}]`)
      if (problem !== undefined) return problem
    }
    return undefined
  }
}

/** An object with any keys, of which every value passes. */
export function recordOf(item: Check): Check {
  return (value, where) => {
    if (!isObject(value)) return mustBe(where, 'an object', value)
    const keys = Object.keys(value)
    if (keys.length > mostNames) return `${where} has ${keys.length} entries; at most ${mostNames} are taken`
    for (const key of keys) {
      const problem = item(value[key], `${where}.${excerpt(key)}`)
      if (problem !== undefined) return problem
    }
    return undefined
  }
}

/** The fields of an object. */
export type Fields = Readonly<Record<string, { readonly check: Check; readonly required?: true }>>

/** An object with these fields and no others. */
export function objectOf(fields: Fields): Check {
  return (value, where) =>
    isObject(value) ? fieldsProblem(value, fields, where, `${where}.`) : mustBe(where, 'an object', value)
}

/**
 * The message about the first wrong field of an object; undefined if all are right.
 *
 * @param what the name of the object in sentences
 * @param prefix what stands in front of a field's name
 */
export function fieldsProblem(
  value: Readonly<Record<string, unknown>>,
  fields: Fields,
  what: string,
  prefix = '',
): string | undefined {
  const names = Object.keys(fields)
  for (const given of Object.keys(value)) {
    if (value[given] === undefined || Object.hasOwn(fields, given)) continue
    const advice = names.length === 0 ? 'it has none at all' : didYouMean(given, names)
    return `${what} has no field ${show(given)}; ${advice}`
  }
  for (const field of names) {
    const { check: passes, required } = fields[field]!
    const item = Object.hasOwn(value, field) ? value[field] : undefined
    if (item === undefined && required !== true) continue
    const problem = passes(item, prefix + field)
    if (problem !== undefined) return problem
  }
  return undefined
}
