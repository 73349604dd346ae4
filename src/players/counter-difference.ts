import type { GameServer } from '../index.js'

/** A counter that allocations write too: what the watch shows of it, and what of ours doesn't show yet. */
export interface CounterDifference {
  /** NaN while the GameServer has no such counter */
  readonly count: number
  readonly capacity: number
  /** The difference that was sent and neither shows nor is known to be gone. */
  readonly pending: number
  send(difference: number): void
  see(gameServer: GameServer): void
  /** The number of allocations in the object that was seen last, which shows one at least. */
  allocations(): number
  /**
   * The sidecar knows nothing of the pending difference any more. Returns the number of allocations that it has hidden:
   * it may have landed while nothing was watched, beside as many.
   */
  gone(): number
}

export function createCounterDifference(name: string | undefined): CounterDifference {
  let growth = 0
  let generation = NaN
  /** The most writes that lie between the last two objects: each that changes more than metadata counts. */
  let writes = Infinity
  let pendingBefore = 0
  /** Whether what is pending may have landed beside allocations that have hidden it. */
  let isDoubtful = false

  const counter = {
    count: NaN,
    capacity: NaN,
    pending: 0,

    send(difference: number) {
      counter.pending = difference
      isDoubtful = false
    },

    see({ object_meta, status: { counters } }: GameServer) {
      const { count, capacity } = Object(counters?.[name!]) as { count?: string; capacity?: string }
      writes = parseInt(object_meta.generation) - generation || Infinity
      generation = parseInt(object_meta.generation)
      growth = parseInt(count!) - counter.count || 0
      counter.count = parseInt(count!)
      counter.capacity = parseInt(capacity!)
      pendingBefore = counter.pending
      // A change that goes the way of ours is ours, as far as it goes.
      const sign = Math.sign(pendingBefore)
      counter.pending -= sign * Math.min(Math.max(growth * sign, 0), pendingBefore * sign)
    },

    allocations() {
      // Ours lands as a whole, by one write: a count that didn't grow holds it, and as many allocations as make up for it.
      const hidden = growth - pendingBefore
      const canHaveLanded = pendingBefore < 0 && hidden < writes
      const hasLanded = canHaveLanded && growth < 1
      counter.pending = hasLanded ? 0 : pendingBefore
      if (canHaveLanded && !hasLanded && isFinite(writes)) isDoubtful = true
      // More than the capacity can't be in use, and one write is no two allocations, whatever it adds.
      return Math.max(1, Math.min(hasLanded ? hidden : growth, counter.capacity, writes))
    },

    gone() {
      const hidden = isDoubtful ? -counter.pending : 0
      counter.pending = 0
      return hidden
    },
  }
  return counter
}
