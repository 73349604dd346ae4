import type { GameServer } from '../index.js'

/** A counter that allocations write too: what the watch shows of it, and what of ours doesn't show yet. */
export interface CounterDifference {
  /** undefined while the GameServer has no such counter */
  readonly count: number | undefined
  readonly capacity: number
  /** The difference that was sent and neither shows nor is known to be lost. */
  pending: number
  see(gameServer: GameServer): void
  /** The number of allocations in the object that was seen last, which shows one at least. */
  allocations(): number
}

export function createCounterDifference(name: string): CounterDifference {
  let before = { count: undefined as number | undefined, pending: 0 }

  const counter = {
    count: undefined as number | undefined,
    capacity: 0,
    pending: 0,

    see({ status: { counters } }: GameServer) {
      before = { count: counter.count, pending: counter.pending }
      const shown = counters?.[name]
      counter.count = toCount(shown?.count)
      counter.capacity = toCount(shown?.capacity) || 0
      counter.pending -= partOf(change(), counter.pending)
    },

    allocations() {
      // More than the capacity can't be in use.
      const number = Math.max(1, Math.min(change(), counter.capacity))
      // What the allocations brought isn't ours; whatever else has changed is.
      counter.pending = before.pending - partOf(change() - number, before.pending)
      return number
    },
  }

  function change(): number {
    return counter.count === undefined || before.count === undefined ? 0 : counter.count - before.count
  }
  return counter
}

/** The part of a change that goes the way of a difference, and no further. */
function partOf(change: number, difference: number): number {
  return difference < 0 ? Math.max(Math.min(change, 0), difference) : Math.min(Math.max(change, 0), difference)
}

/** A count as the sidecar sends it, which is decimal text; undefined for anything else. */
function toCount(raw: string | null | undefined): number | undefined {
  const count = parseInt(raw!, 10)
  return count >= 0 ? count : undefined
}
