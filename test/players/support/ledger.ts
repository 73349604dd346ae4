import type { Seen } from './world.js'

/** One thing that must not happen, and did. */
export interface Violation {
  readonly kind:
    | 'over capacity'
    | 'duplicate'
    | 'freed while here'
    | 'freed while promised'
    | 'promised twice'
    | 'no-show too early'
    | 'count below sessions'
    | 'session lost'
    | 'session doubled'
    | 'no agreement'
    | 'error'
  readonly at: number
  readonly what: string
}

interface Parts {
  /** Whether the seats are tracked. */
  readonly players: boolean
  /** Whether the sessions are. */
  readonly sessions: boolean
  /** ms that a promised seat is kept */
  readonly noShow: number
}

/** ms by which a no-show may be early: timers round. */
const ROUNDING = 5

/**
 * What is true outside of the tracking: who has been let in and hasn't left, who holds an allocation's promise, and how
 * many sessions were allocated and haven't ended. Every object is held against it.
 */
export class Ledger {
  readonly here = new Set<string>()
  /** When each seat was promised. */
  readonly promised = new Map<string, number>()
  readonly violations: Violation[] = []
  allocatedSessions = 0
  startedSessions = 0
  endedSessions = 0
  objects = 0
  private capacity = Infinity
  /** Whose seat is missing in the list at present: it is told once. */
  private missing = new Set<string>()
  private countIsLow = false
  private readonly now: () => number
  private readonly parts: Parts

  constructor(now: () => number, parts: Parts) {
    this.now = now
    this.parts = parts
  }

  violate(kind: Violation['kind'], what: string): void {
    this.violations.push({ kind, at: Math.round(this.now()), what })
  }

  promise(ids: readonly string[]): void {
    for (const id of ids) if (!this.here.has(id)) this.promised.set(id, this.now())
    this.checkPromises()
  }

  come(id: string): void {
    this.promised.delete(id)
    this.here.add(id)
    this.checkPromises()
  }

  leave(id: string): void {
    this.here.delete(id)
    this.promised.delete(id)
  }

  noShow(id: string): void {
    if (this.here.has(id)) this.violate('freed while here', `${id} was told as a no-show, and is here`)
    const since = this.promised.get(id)
    if (since === undefined) return
    const waited = this.now() - since
    if (waited < this.parts.noShow - ROUNDING) {
      this.violate('no-show too early', `${id} after ${Math.round(waited)} ms`)
    }
    this.promised.delete(id)
  }

  /** Holds an object of the API server against what is true. */
  check(seen: Seen): void {
    this.objects++
    this.checkShape(seen)
    if (this.parts.players) this.checkSeats(seen)
    if (this.parts.sessions) this.checkSessions(seen)
  }

  /** What must hold in any object, however old it is. */
  checkShape({ values, capacity }: Seen): void {
    if (values.length > capacity) this.violate('over capacity', `${values.length} of ${capacity}`)
    if (new Set(values).size < values.length) this.violate('duplicate', values.join(' '))
    this.capacity = capacity
  }

  private checkPromises(): void {
    const taken = this.here.size + this.promised.size
    if (taken > this.capacity) this.violate('promised twice', `${taken} players on ${this.capacity} seats`)
  }

  private checkSeats({ values }: Seen): void {
    const listed = new Set(values)
    const missing = new Set<string>()
    for (const [kind, ids] of [
      ['freed while here', this.here],
      ['freed while promised', this.promised.keys()],
    ] as const) {
      for (const id of ids) {
        if (listed.has(id)) continue
        missing.add(id)
        if (!this.missing.has(id)) this.violate(kind, id)
      }
    }
    this.missing = missing
  }

  private checkSessions({ rooms }: Seen): void {
    const running = this.allocatedSessions - this.endedSessions
    const isLow = rooms < running
    if (isLow && !this.countIsLow) this.violate('count below sessions', `${rooms}, and ${running} run`)
    this.countIsLow = isLow
  }
}
