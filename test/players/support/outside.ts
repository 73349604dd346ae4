import type { Ledger } from './ledger.js'
import type { Random } from './random.js'
import type { World } from './world.js'

interface OutsideParts {
  readonly world: World
  readonly ledger: Ledger
  readonly random: Random
  /** The players who may be promised a seat. */
  readonly ids: readonly string[]
  /** Whether each allocation is a session. */
  readonly sessions: boolean
  /** ms between two allocations, on average */
  readonly every: number
  /** Whether the next allocation may come: it waits until the game has seen the previous session. */
  mayAllocate(): boolean
  /** The players in the list as the game saw it last. */
  lastSeen(): readonly string[]
}

/**
 * A matchmaker that allocates, promises seats to players whom the list doesn't hold, and trusts the answer. A promise
 * to a player in the list would change nothing in the object, so no game could notice it. The same holds for a player
 * who has just left the list while the game's watch is cut: the game sees the value before and after.
 */
export function createOutside({ world, ledger, random, ids, sessions, every, mayAllocate, lastSeen }: OutsideParts) {
  const made = { allocations: 0, promises: 0 }
  let next = world.now()
  return {
    made,
    act(): void {
      if (world.now() < next || (sessions && !mayAllocate())) return
      next = world.now() + random.between(1, every * 2)
      const known = new Set([...world.object().values, ...ledger.here, ...lastSeen()])
      const strangers = ids.filter((id) => !known.has(id))
      const seats = strangers.length === 0 ? [] : pickSome(strangers, random)
      if (seats.length === 0 && !sessions) return
      if (!world.allocate({ seats, session: sessions })) return
      made.allocations++
      made.promises += seats.length
      ledger.promise(seats)
      if (sessions) ledger.sessions.allocated++
    },
  }
}

function pickSome(ids: readonly string[], random: Random): string[] {
  const wanted = random.between(0, 3)
  const picked = new Set<string>()
  for (let i = 0; i < wanted; i++) picked.add(random.pick(ids))
  return [...picked]
}
