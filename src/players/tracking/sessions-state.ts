import type { GameServer, SidecarError } from '../../index.js'
import { factsOf, NOTHING } from './facts.js'
import { COUNTER, isOpen, Writes, type Write } from './writes.js'

/** A difference of the counter, with the capacity before the write; the label's value; or a state. */
export type SessionWrite =
  | { readonly update: { readonly countDiff: number; readonly capacity?: number }; readonly before: number }
  | { readonly label: string }
  | { readonly state: 'ready' | 'shutdown' }

export interface SessionsEffects {
  /** `started` and `ended` carry the session's number. */
  started: number
  ended: number
  full: { sessions: number }
  error: SidecarError
}

/** Reconciles the GameServer with the running sessions: one write at a time makes both agree. */
export class SessionsState extends Writes<SessionWrite, SessionsEffects> {
  /** The numbers of the running sessions. */
  active: readonly number[] = []
  started = 0
  /** The last session has ended, and no more may come. */
  private isFinished = false

  /** The facts of the object before the last one. */
  before = NOTHING
  /** The last capacity above 0, which reopens a closed server. */
  private openCapacity = 0

  /**
   * The difference in flight: sent, not shown yet and not known to be lost. The second field: before the last object.
   */
  private pending = 0
  private pendingBefore = 0
  /** Whether the pending difference may have landed beside allocations that hide it. */
  private isDoubtful = false

  private sentLabel: string | undefined
  /** Whether the watch has shown the label sent last, and no older value can appear after it. */
  private isLabelSettled = true

  get isFull(): boolean {
    return this.isOver || this.isLocked || this.active.length >= this.most
  }

  private get isLocked(): boolean {
    return this.isFinished || this.started >= (this.rules.thenShutdown as number)
  }

  /** The growth of the count from the object before to the last one. */
  private get growth(): number {
    return this.facts.count! - this.before.count! || 0
  }

  object(gameServer: GameServer): void {
    const { facts: before, pending } = this
    const { thenShutdown } = this.rules
    const now = factsOf(gameServer, this.rules)
    this.before = before
    this.facts = now
    this.openCapacity = now.capacity || this.openCapacity
    this.pendingBefore = pending
    // A change in the direction of our difference counts as ours, up to the size of our difference.
    const sign = Math.sign(pending)
    this.pending -= sign * Math.min(Math.max(this.growth * sign, 0), pending * sign)
    if (now.label !== before.label && now.label === this.sentLabel) this.isLabelSettled = true
    // The last session had ended before this process of the game started.
    if (!before.state && now.state === 'Allocated' && now.count === 0)
      this.isFinished = thenShutdown === 'last' || (!!thenShutdown && now.capacity === 0)
  }

  /** The last object shows an allocation. */
  allocated(): void {
    const { count = 1, capacity } = this.facts
    // The sessions in the first object were allocated to an earlier process of this game.
    this.start(this.before.state ? this.allocations() : Math.min(count, capacity))
  }

  ended(number: number): void {
    this.active = this.active.filter((other) => other !== number)
    if (!this.active.length && (this.rules.thenShutdown === 'last' || this.isLocked)) this.isFinished = true
    this.effects.push(['ended', number])
  }

  end(): void {
    this.isOver = true
  }

  turn(): void {
    const { facts } = this
    if (this.isOver || !facts.state) return
    const { counter, label } = this.rules
    if (facts.count !== undefined) this.writeCount(facts.count)
    if (label !== undefined) this.writeLabel(String(!this.isFull))
    const isReused = counter === undefined && label === undefined && !this.isLocked
    if (isReused && !this.active.length && facts.state === 'Allocated')
      this.write('ready', { state: 'ready' }, Infinity)
    if (this.isFinished && this.isClosed) this.write('shutdown', { state: 'shutdown' }, 1)
  }

  protected shows(what: SessionWrite): boolean {
    const { capacity, state } = this.facts
    if ('update' in what) return !this.pending && (what.update.capacity === undefined || capacity !== what.before)
    if ('label' in what) return this.isLabelSettled || what.label !== String(!this.isFull)
    return what.state === 'ready' ? !!this.active.length || state !== 'Allocated' : !this.isFinished
  }

  protected failed(_: string, { what }: Write<object>, error: SidecarError, isRefused: boolean): void {
    if (!isRefused) return
    if ('update' in what) this.pending = 0
    if (error.code !== 'OUT_OF_RANGE') this.lacks(error)
  }

  lacks(error: SidecarError): void {
    if (!this.isOver) this.effects.push(['error', error])
  }

  protected lost(_: string, what: SessionWrite): void {
    if ('label' in what) this.isLabelSettled = true
    if (!('update' in what)) return
    // The difference may have landed while the watch was down, beside as many allocations.
    const hidden = this.isDoubtful ? -this.pending : 0
    this.pending = 0
    this.start(hidden)
  }

  /** The number of allocations between the last two objects, which is at least one. */
  protected allocations(): number {
    const { facts, growth, pendingBefore } = this
    // Upper limit of the writes between both objects: every write that changes more than metadata counts.
    const gap = facts.generation - this.before.generation || Infinity
    // Our decrement is one write: if the count didn't grow, the decrement has landed, beside as many allocations as
    // make up for it. Our increment opens a closed server, so it lands before any allocation.
    const hidden = growth - pendingBefore
    const canHaveLanded = pendingBefore && hidden < gap
    const hasLanded = canHaveLanded && (pendingBefore < 0 ? growth < 1 : hidden > 0)
    this.pending = hasLanded ? 0 : pendingBefore
    if (canHaveLanded && !hasLanded && gap < Infinity) this.isDoubtful = true
    // No more than the capacity can be in use, and one write is one allocation, however much it adds.
    return Math.max(1, Math.min(hasLanded ? hidden : growth, facts.capacity, gap))
  }

  private start(sessions: number): void {
    while (!this.isOver && sessions-- > 0) {
      this.isFinished = false
      this.active = this.active.concat(++this.started)
      this.effects.push(['started', this.started])
      if (this.isFull) this.effects.push(['full', { sessions: this.active.length }])
    }
  }

  private writeCount(count: number): void {
    const { length } = this.active
    const before = this.facts.capacity
    // The sidecar would cut the count to a capacity below it. The capacity is raised only to reopen a closed server.
    const capacity = Math.min(before || this.openCapacity, Math.max(length, this.isLocked ? 0 : this.rules.limit))
    const countDiff = Math.min(length, capacity) - count
    if (!this.isFree(COUNTER) || (!countDiff && capacity === before)) return
    this.pending = countDiff
    this.isDoubtful = false
    this.write(COUNTER, { update: capacity === before ? { countDiff } : { countDiff, capacity }, before }, 2)
  }

  private writeLabel(label: string): void {
    const shown = this.facts.label
    const { sentLabel = label } = this
    // The sidecar remembers each label and writes it again with any other label, so the sidecar must know this value.
    if (!this.isFree('label') || (shown === label && sentLabel === label)) return
    this.isLabelSettled = this.isLabelSettled && shown === label
    this.sentLabel = label
    // A repeated unlock could land after the next allocation, and undo its lock.
    this.write('label', { label }, label === 'true' ? Infinity : 1)
  }

  /** Whether the watch shows a counter and a label by which no allocation can select this server any more. */
  private get isClosed(): boolean {
    const { rules, facts } = this
    const isShut = (key: string, isShown: boolean): boolean => {
      const write = this.writes.get(key)
      // OUT_OF_RANGE means that the count has changed unseen, so the write is retried. Any other refusal is permanent.
      return !isOpen(write) && (isShown || (write?.fate === 'refused' && write.ticks === Infinity))
    }
    return (
      isShut(COUNTER, rules.counter === undefined || !!facts.missing || !facts.capacity) &&
      isShut('label', rules.label === undefined || facts.label === 'false')
    )
  }
}
