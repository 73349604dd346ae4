/** The title of a result, of a ranking with the best player first. Without a star nobody wins; equal scores are a draw. */
export function headlineOf(ranking) {
  const [first] = ranking
  if (first === undefined) return 'Nobody is left'
  if (first.score === 0) return 'Nobody caught a star'
  const best = ranking.filter(({ score }) => score === first.score).map(({ name }) => name)
  return best.length === 1 ? `${first.name} wins` : `A draw of ${best.slice(0, -1).join(', ')} and ${best.at(-1)}`
}

/** The winners by the same rule, for the platform: an empty text, one name, or several names with commas. */
export const winnersOf = (ranking) =>
  ranking
    .filter(({ score }) => score > 0 && score === ranking[0].score)
    .map(({ name }) => name)
    .join(', ')

/** The thing that is nearest to a place; undefined if there are no things. */
export function nearest({ x, y }, things) {
  const distance = (thing) => Math.hypot(thing.x - x, thing.y - y)
  return things.reduce(
    (best, thing) => (best === undefined || distance(thing) < distance(best) ? thing : best),
    undefined,
  )
}

/** A name from outside: short, without characters that have no width or change the direction of the text. */
export const cleanName = (text) =>
  String(text ?? '')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, 16) || 'Player'
