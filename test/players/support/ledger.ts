import { seatsViolation, sessionsViolation } from '../search/invariants.js'
import type { Seen } from './world.js'

/** A violated invariant. */
export interface Violation {
  readonly at: number
  /** Such as `lost: p3 is here without a seat`. */
  readonly what: string
}

/** ms by which a no-show may be early, since timers round. */
const ROUNDING = 5

/**
 * The ground truth: who has been admitted and hasn't left, who holds an allocation's promise, and how many sessions
 * were allocated and haven't ended. Every object is compared with the ledger.
 */
export class Ledger {
  readonly here = new Set<string>()
  /** When each seat was promised. */
  readonly promised = new Map<string, number>()
  readonly violations: Violation[] = []
  readonly sessions = { allocated: 0, started: 0, ended: 0 }
  objects = 0
  /** The present violations, so that each is reported once. */
  private wrong: string | undefined
  private readonly now: () => number
  private readonly noShowAfter: number

  /** @param noShowAfter ms that a promised seat is kept */
  constructor(now: () => number, noShowAfter: number) {
    this.now = now
    this.noShowAfter = noShowAfter
  }

  violate(what: string): void {
    this.violations.push({ at: Math.round(this.now()), what })
  }

  promise(ids: readonly string[]): void {
    for (const id of ids) if (!this.here.has(id)) this.promised.set(id, this.now())
  }

  come(id: string): void {
    this.promised.delete(id)
    this.here.add(id)
  }

  leave(id: string): void {
    this.here.delete(id)
    this.promised.delete(id)
  }

  noShow(id: string): void {
    if (this.here.has(id)) this.violate(`lost: ${id} was told as a no-show, and is here`)
    const waited = this.now() - (this.promised.get(id) ?? -Infinity)
    if (waited < this.noShowAfter - ROUNDING) this.violate(`lost: ${id} is a no-show after ${Math.round(waited)} ms`)
    this.promised.delete(id)
  }

  /** Compares an object of the API server with the ground truth. */
  check({ values, capacity, rooms, state }: Seen): void {
    this.objects++
    const wrong =
      seatsViolation({ capacity, listed: values, here: [...this.here], promised: [...this.promised.keys()] }) ??
      sessionsViolation({ isCounted: true, count: rooms, capacity: Infinity, state, ...this.sessions, wrong: [] })
    if (wrong && wrong !== this.wrong) this.violate(wrong)
    this.wrong = wrong
  }

  /** Checks the invariants of any object, however old it is. */
  checkShape({ values, capacity }: Seen): void {
    const wrong = seatsViolation({ capacity, listed: values, here: [], promised: [] })
    if (wrong) this.violate(wrong)
  }
}
