import type { Decide } from './types.js'

type Length = () => number | Promise<number>

/** As many servers as are in use, and one for each request that waits: `byQueue(() => allocator.waiting)`. */
export const byQueue =
  (length: Length): Decide =>
  async ({ fleet }) =>
    fleet.allocatedReplicas + fleet.reservedReplicas + (await length())

/**
 * Nothing while nobody plays. Else as many servers as are in use, one for each request that waits, and `idle` more.
 *
 * @param queue how many requests wait: with no servers, only these bring the Fleet back, such as `() => allocator.waiting`
 * @param idle default 1
 * @param cooldown ms without use after which the last servers go. Default 10 minutes
 */
export function scaleToZero(options: {
  readonly queue: Length
  readonly idle?: number
  readonly cooldown?: number
}): Decide {
  const { queue, idle = 1, cooldown = 600_000 } = options
  const decide = byQueue(queue)
  /** When each Fleet was used last, and its allocations until then. */
  const uses = new Map<string, { readonly at: number; readonly allocations: number }>()
  return async (review) => {
    const { namespace, name, allocations = 0 } = review.fleet
    const key = `${namespace}/${name}`
    const wanted = (await decide(review))!
    const last = uses.get(key)
    const now = performance.now()
    const isUsed = wanted > 0 || last?.allocations !== allocations
    if (isUsed) uses.set(key, { at: now, allocations })
    return isUsed || now - last.at < cooldown ? wanted + idle : 0
  }
}
