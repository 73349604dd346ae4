/**
 * Gives an option that is a list; what else there could be would be read letter by letter, or not at all.
 *
 * @throws TypeError
 */
export function listOption<T extends string>(name: string, list: readonly T[] = []): readonly T[] {
  if (Array.isArray(list)) return list as readonly T[]
  throw new TypeError(`${name} must be an array, such as [${JSON.stringify(list)}]`)
}

/**
 * Refuses an option that isn't one and names the known one that is most like it: in JavaScript nothing else would.
 *
 * @throws TypeError
 */
export function refuseUnknownOptions(given: object, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null) {
    throw new TypeError(`The options must be an object, such as { ${known[0]}: … }, not ${JSON.stringify(given)}`)
  }
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new TypeError(`There is no option "${unknown}"; did you mean "${nearest(unknown, known)}"?`)
}

/** The known name that takes the fewest changes to be made of another. */
export function nearest(name: string, known: readonly string[]): string {
  const by = (candidate: string): number => edits(name.toLowerCase(), candidate.toLowerCase())
  return known.reduce((best, candidate) => (by(candidate) < by(best) ? candidate : best))
}

/** How many characters must be put in, taken out or replaced to make one of the other (Levenshtein). */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (const [i, letter] of [...from].entries()) {
    const above = row
    row = [i + 1]
    for (let j = 0; j < to.length; j += 1) {
      row.push(Math.min(row[j]! + 1, above[j + 1]! + 1, above[j]! + (letter === to[j] ? 0 : 1)))
    }
  }
  return row.at(-1)!
}
