/** The most slips in a misspelt name; a name may have one slip for every three letters. */
const SLIPS = 3

/** Whether so many slips turn one name into another. A slip inserts, removes or replaces a letter, or swaps two neighbours. */
function isNear(a: string, b: string, slips: number): boolean {
  let same = 0
  while (a[same] && a[same] === b[same]) same++
  const x = a.slice(same)
  const y = b.slice(same)
  return (
    x === y ||
    (slips > 0 &&
      (isNear(x.slice(1), y, slips - 1) ||
        (x[0] === y[1] && x[1] === y[0] && isNear(x.slice(2), y.slice(2), slips - 1)) ||
        isNear(x, y.slice(1), slips - 1) ||
        isNear(x.slice(1), y.slice(1), slips - 1)))
  )
}

/** The known name that is nearest to a misspelt one, if any is near. Case is ignored. */
export function meant(name: string, known: readonly string[]): string | undefined {
  for (let slips = 0; slips <= SLIPS && slips * 3 <= name.length; slips++) {
    const best = known.find((other) => isNear(name.toLowerCase(), other.toLowerCase(), slips))
    if (best) return best
  }
  return undefined
}

/** Ends a sentence about an unknown name: asks for the known name that is near, if there is one. */
export function suggestNearest(name: unknown, known: readonly string[]): string | undefined {
  const best = typeof name === 'string' ? meant(name, known) : undefined
  return best && `did you mean "${best}"?`
}

/** Ends a sentence about an unknown name: asks for the known name that is near, or else lists all. */
export function didYouMean(name: unknown, known: readonly string[]): string {
  return suggestNearest(name, known) ?? `there are ${known.join(', ')}`
}
