/** Longest name that is compared: the time grows with the product of both lengths, and nobody misspells more. */
const LONGEST = 40
/** Most letters by which a name may differ to be taken for a slip. */
const SLIP = 3

/** Counts the letters to insert, remove or replace that turn one name into the other (Levenshtein), whatever their case. */
function distance(a: string, b: string): number {
  const letters = Array.from(b.slice(0, LONGEST).toLowerCase())
  let row = Array.from({ length: letters.length + 1 }, (_, column) => column)
  Array.from(a.slice(0, LONGEST).toLowerCase()).forEach((letter, index) => {
    const next = [index + 1]
    letters.forEach((other, column) => {
      next.push(Math.min(row[column + 1]! + 1, next[column]! + 1, row[column]! + (letter === other ? 0 : 1)))
    })
    row = next
  })
  return row[row.length - 1]!
}

/** The known name that is most like another. */
export function nearest(name: string, known: readonly string[]): string {
  return known.reduce((best, other) => (distance(name, other) < distance(name, best) ? other : best))
}

/** The known name that a misspelt one was probably meant to be; undefined if it is like none. */
export function meant(name: string, known: readonly string[]): string | undefined {
  const best = nearest(name, known)
  return distance(name, best) > Math.min(SLIP, Math.max(name.length, best.length) - 1) ? undefined : best
}

/** Ends a sentence about an unknown name: the name that was probably meant, or else all of them. */
export function didYouMean(name: string, known: readonly string[]): string {
  const best = meant(name, known)
  return best === undefined ? `there are ${known.join(', ')}` : `did you mean "${best}"?`
}
