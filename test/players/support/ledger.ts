import { seatsViolation, sessionsViolation } from '../search/invariants.js'
import type { Seen } from './world.js'

/** ms by which a no-show may be early, since timers round. */
const ROUNDING = 5

/**
 * The ground truth: who has been admitted and hasn't left, who holds an allocation's promise, and how many sessions
 * were allocated and haven't ended. Every object is compared with the ledger.
 *
 * @param noShowAfter ms that a promised seat is kept
 */
export function createLedger(now: () => number, noShowAfter: number) {
  const here = new Set<string>()
  /** When each seat was promised. */
  const promised = new Map<string, number>()
  const violations: { readonly at: number; readonly what: string }[] = []
  const sessions = { allocated: 0, started: 0, ended: 0 }
  /** The present violation, so that each is reported once. */
  let wrong: string | undefined
  /** Notes a violated invariant, such as `lost: p3 is here without a seat`. */
  const violate = (what: string): void => void violations.push({ at: Math.round(now()), what })

  return {
    here,
    promised,
    violations,
    sessions,
    objects: 0,
    violate,
    promise(ids: readonly string[]): void {
      for (const id of ids) if (!here.has(id)) promised.set(id, now())
    },
    come(id: string): void {
      promised.delete(id)
      here.add(id)
    },
    leave(id: string): void {
      here.delete(id)
      promised.delete(id)
    },
    noShow(id: string): void {
      if (here.has(id)) violate(`lost: ${id} was told as a no-show, and is here`)
      const waited = now() - (promised.get(id) ?? -Infinity)
      if (waited < noShowAfter - ROUNDING) violate(`lost: ${id} is a no-show after ${Math.round(waited)} ms`)
      promised.delete(id)
    },
    /** Compares an object of the API server with the ground truth. */
    check({ values, capacity, rooms, state }: Seen): void {
      this.objects++
      const before = wrong
      wrong =
        seatsViolation({ capacity, listed: values, here: [...here], promised: [...promised.keys()] }) ??
        sessionsViolation({ isCounted: true, count: rooms, capacity: Infinity, state, ...sessions, wrong: [] })
      if (wrong && wrong !== before) violate(wrong)
    },
  }
}

export type Ledger = ReturnType<typeof createLedger>
