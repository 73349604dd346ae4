/** Most letters by which a name may differ to be taken for a slip: of three letters, one may be wrong. */
const SLIPS = 3

/** Whether one name becomes another by so many letters inserted, removed, replaced or swapped with the next. */
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

/** The known name that a misspelt one was probably meant to be, whatever the case of its letters. */
export function meant(name: string, known: readonly string[]): string | undefined {
  for (let slips = 0; slips <= SLIPS && slips * 3 <= name.length; slips++) {
    const best = known.find((other) => isNear(name.toLowerCase(), other.toLowerCase(), slips))
    if (best) return best
  }
  return undefined
}

/** Ends a sentence about an unknown name: the name that was probably meant, or else all of them. */
export function didYouMean(name: string, known: readonly string[]): string {
  const best = meant(name, known)
  return best === undefined ? `there are ${known.join(', ')}` : `did you mean "${best}"?`
}
