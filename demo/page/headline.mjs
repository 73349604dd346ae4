/** What the result's title says of a ranking, best first: nobody wins without a star, and nobody alone with as many as another. */
export function headlineOf(ranking) {
  const [first] = ranking
  if (first === undefined) return 'Nobody is left'
  if (first.score === 0) return 'Nobody caught a star'
  const best = ranking.filter(({ score }) => score === first.score).map(({ name }) => name)
  return best.length === 1 ? `${first.name} wins` : `A draw of ${best.slice(0, -1).join(', ')} and ${best.at(-1)}`
}

/** Who has won by the same rule, for the platform: nobody, one, or several names with commas. */
export const winnersOf = (ranking) =>
  ranking
    .filter(({ score }) => score > 0 && score === ranking[0].score)
    .map(({ name }) => name)
    .join(', ')
