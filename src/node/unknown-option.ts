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
  throw new TypeError(`There is no option "${unknown}"; did you mean "${nearest(unknown, known)}"?`)
}

/** The known name that differs from another in the fewest letters. */
export function nearest(name: string, known: readonly string[]): string {
  const distance = (candidate: string): number => edits(name.toLowerCase(), candidate.toLowerCase())
  return known.reduce((best, candidate) => (distance(candidate) < distance(best) ? candidate : best))
}

/** Counts the letters to insert, remove or replace that turn one text into the other (Levenshtein). */
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
