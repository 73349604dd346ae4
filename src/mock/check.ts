import { didYouMean } from '../protocol/nearest.js'
import { operations } from '../protocol/operations.js'
import { show } from '../sidecar/model/state/show.js'

/** @throws TypeError for a name that isn't known, with the one that was probably meant */
export function checkNames(given: object, known: readonly string[], what: string): void {
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) throw new TypeError(`${what} has no option "${name}"; ${didYouMean(name, known)}`)
  }
}

/** @throws TypeError where a value is there and isn't right */
export function check(name: string, value: unknown, isRight: boolean, wanted: string): void {
  if (value !== undefined && !isRight) throw new TypeError(`${name} must be ${wanted}; got ${show(value)}`)
}

const operationNames = Object.keys(operations)

export function checkOperation(name: unknown, what: string): void {
  if (operationNames.includes(name as string)) return
  throw new TypeError(`${what}: there is no operation ${show(name)}; ${didYouMean(name, operationNames)}`)
}

/** A number of ms, or of anything else of which there can't be less than none. */
export const isAmount = (value: unknown): boolean => typeof value === 'number' && value >= 0
