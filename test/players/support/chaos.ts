import type { Ledger } from './ledger.js'
import type { Random } from './random.js'
import type { World } from './world.js'

export interface ChaosOptions {
  /** ms between two kills */
  readonly killEvery: number
  /** ms of downtime after a kill */
  readonly down: number
  /** ms by which late writes are late */
  readonly late: number
}

/**
 * Injects random faults. The sidecar is down for some time, then left alone for as long as late writes take: a killed
 * sidecar loses its waiting writes, which then are never late.
 */
export function createChaos(world: World, random: Random, { killEvery, down, late }: ChaosOptions) {
  const start = world.now()
  const made = { kills: 0, faults: 0 }
  const next = { kill: start + killEvery, fault: start }
  return {
    made,
    act(): void {
      const now = world.now()
      const killing = killEvery * 5
      const isKilling = (now - start) % (killing + late * 2) < killing
      if (now >= next.kill) {
        next.kill = now + killEvery
        if (isKilling) {
          made.kills++
          world.kill(random.between(down / 2, down * 2))
        }
      }
      if (now < next.fault) return
      const lasts = random.between(killEvery / 10, killEvery / 2)
      next.fault = now + lasts + random.between(0, killEvery / 2)
      made.faults++
      world.fault(random.between(0, world.faults - 1), lasts, late)
    },
  }
}

interface MatchmakerParts {
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
export function createMatchmaker(parts: MatchmakerParts) {
  const { world, ledger, random, ids, sessions, every, mayAllocate, lastSeen } = parts
  const made = { allocations: 0, promises: 0 }
  let next = world.now()
  return {
    made,
    act(): void {
      if (world.now() < next || (sessions && !mayAllocate())) return
      next = world.now() + random.between(1, every * 2)
      const known = new Set([...world.object().values, ...ledger.here, ...lastSeen()])
      const strangers = ids.filter((id) => !known.has(id))
      const wanted = strangers.length > 0 ? random.between(0, 3) : 0
      const seats = [...new Set(Array.from({ length: wanted }, () => random.pick(strangers)))]
      if (seats.length === 0 && !sessions) return
      if (!world.allocate(seats, sessions)) return
      made.allocations++
      made.promises += seats.length
      ledger.promise(seats)
      if (sessions) ledger.sessions.allocated++
    },
  }
}
