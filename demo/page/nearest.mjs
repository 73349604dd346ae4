/** What is nearest to a place; undefined if there is nothing. */
export function nearest({ x, y }, things) {
  const distance = (thing) => Math.hypot(thing.x - x, thing.y - y)
  return things.reduce(
    (best, thing) => (best === undefined || distance(thing) < distance(best) ? thing : best),
    undefined,
  )
}
