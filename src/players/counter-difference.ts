import type { GameServer } from '../index.js'

/** A counter that allocations write too: what the watch shows of it, and what of ours doesn't show yet. */
export interface CounterDifference {
  /** undefined while the GameServer has no such counter */
  readonly count: number | undefined
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

interface Seen {
  readonly count: number | undefined
  readonly capacity: number
  readonly generation: number | undefined
}

export function createCounterDifference(name: string): CounterDifference {
  const nothing: Seen = { count: undefined, capacity: 0, generation: undefined }
  let before = nothing
  let now = nothing
  let pending = 0
  let pendingBefore = 0
  /** Whether what is pending may have landed beside allocations that have hidden it. */
  let isDoubtful = false

  function change(): number {
    return now.count === undefined || before.count === undefined ? 0 : now.count - before.count
  }

  /** The most writes that lie between the last two objects: each that changes more than metadata counts. */
  function writes(): number {
    return now.generation! - before.generation! || Infinity
  }

  return {
    get count() {
      return now.count
    },
    get capacity() {
      return now.capacity
    },
    get pending() {
      return pending
    },

    send(difference) {
      pending = difference
      isDoubtful = false
    },

    see({ object_meta, status: { counters } }) {
      const shown = counters?.[name]
      before = now
      now = {
        count: toNumber(shown?.count),
        capacity: toNumber(shown?.capacity) ?? 0,
        generation: toNumber(object_meta.generation),
      }
      pendingBefore = pending
      pending -= partOf(change(), pending)
    },

    allocations() {
      const difference = pendingBefore
      // Ours lands as a whole, by one write: a count that didn't grow holds it, and as many allocations as make up for it.
      const hidden = change() - difference
      const hasLanded = difference < 0 && change() < 1 && hidden < writes()
      pending = hasLanded ? 0 : difference
      isDoubtful ||= difference < 0 && change() > 0 && hidden < writes() && writes() < Infinity
      // More than the capacity can't be in use, and one write is no two allocations, whatever it adds.
      return Math.max(1, Math.min(hasLanded ? hidden : change(), now.capacity, writes()))
    },

    gone() {
      const hidden = isDoubtful && pending < 0 ? -pending : 0
      pending = 0
      return hidden
    },
  }
}

/** The part of a change that goes the way of a difference, and no further. */
function partOf(change: number, difference: number): number {
  return difference < 0 ? Math.max(Math.min(change, 0), difference) : Math.min(Math.max(change, 0), difference)
}

/** A number as the sidecar sends it, which is decimal text; undefined for anything else. */
function toNumber(raw: string | null | undefined): number | undefined {
  const number = parseInt(raw!, 10)
  return number >= 0 ? number : undefined
}
