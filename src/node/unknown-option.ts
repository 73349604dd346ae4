import { didYouMean } from '../protocol/nearest.js'

/**
 * Checks an option that is a list. A single string would be taken for the list of its letters.
 *
 * @throws TypeError if it is no array
 */
export function listOption<T extends string>(name: string, list: readonly T[] = []): readonly T[] {
  if (Array.isArray(list)) return list as readonly T[]
  throw new TypeError(`${name} must be an array, such as [${JSON.stringify(list)}]`)
}

/**
 * Refuses unknown options and names the known one that is most like it. In JavaScript no compiler would.
 *
 * @throws TypeError
 */
export function refuseUnknownOptions(given: object, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null) {
    throw new TypeError(`The options must be an object, such as { ${known[0]}: … }, not ${JSON.stringify(given)}`)
  }
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new TypeError(`There is no option "${unknown}"; ${didYouMean(unknown, known)}`)
}
