import type { GameServer, SidecarError } from '../index.js'
import { factsOf, NOTHING } from './facts.js'
import { COUNTER, FIND, isOpen, Writes, type Write } from './writes.js'

/** A difference of the counter, with the capacity before a new one; the label's value; a state. */
export type SessionWrite =
  | { readonly update: { readonly countDiff: number; readonly capacity?: number }; readonly before: number }
  | { readonly label: string }
  | { readonly state: 'ready' | 'shutdown' }

export interface SessionsEffects {
  /** Each with the session's number. */
  started: number
  ended: number
  full: { sessions: number }
  error: SidecarError
}

/** The sessions that run are the wish, the object the fact: one write at a time makes them equal. */
export class SessionsState extends Writes<SessionWrite, SessionsEffects> {
  /** The numbers of those that run. */
  active: readonly number[] = []
  started = 0
  /** The last session has ended, and no more may come. */
  private isFinished = false

  /** What the object before the last one said. */
  before = NOTHING
  /** The last capacity above 0: what a place that was closed is opened with again. */
  private openCapacity = 0

  /** The difference that was sent and neither shows nor is known to be gone; and so before the last object. */
  private pending = 0
  private pendingBefore = 0
  /** Whether what is pending may have landed beside allocations that have hidden it. */
  private isDoubtful = false

  private sentLabel: string | undefined
  /** Whether the watch has shown what was sent last, and nothing older can show after it. */
  private isLabelSettled = true

  get isFull(): boolean {
    return this.isOver || this.isLocked || this.active.length >= this.most
  }

  private get isLocked(): boolean {
    return this.isFinished || this.started >= (this.rules.thenShutdown as number)
  }

  /** How much the count has grown by the last object. */
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
    // A change that goes the way of ours is ours, as far as it goes.
    const sign = Math.sign(pending)
    this.pending -= sign * Math.min(Math.max(this.growth * sign, 0), pending * sign)
    if (now.label !== before.label && now.label === this.sentLabel) this.isLabelSettled = true
    // An earlier process of this game has seen the last one end.
    if (!before.state && now.state === 'Allocated' && now.count === 0)
      this.isFinished = thenShutdown === 'last' || (!!thenShutdown && now.capacity === 0)
  }

  /** The object that came last shows an allocation. */
  allocated(): void {
    const { count = 1, capacity } = this.facts
    // What the first object holds was allocated to an earlier process of this game.
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
    if (facts.missing) this.write(FIND, { find: facts.missing }, 1)
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
    if (error.code !== 'OUT_OF_RANGE' && !this.isOver) this.effects.push(['error', error])
  }

  protected lost(_: string, what: SessionWrite): void {
    if ('label' in what) this.isLabelSettled = true
    if (!('update' in what)) return
    // It may have landed while nothing was watched, beside as many allocations.
    const hidden = this.isDoubtful ? -this.pending : 0
    this.pending = 0
    this.start(hidden)
  }

  /** The number of allocations in the last object, which shows one at least. */
  protected allocations(): number {
    const { facts, growth, pendingBefore } = this
    // The most writes that lie between both objects: each that changes more than metadata counts.
    const gap = facts.generation - this.before.generation || Infinity
    // Ours lands as a whole, by one write: a count that didn't grow holds it, and as many allocations as make up for it. An
    // addition opens a closed place, so it lands before any allocation.
    const hidden = growth - pendingBefore
    const canHaveLanded = pendingBefore && hidden < gap
    const hasLanded = canHaveLanded && (pendingBefore < 0 ? growth < 1 : hidden > 0)
    this.pending = hasLanded ? 0 : pendingBefore
    if (canHaveLanded && !hasLanded && gap < Infinity) this.isDoubtful = true
    // More than the capacity can't be in use, and one write is no two allocations, whatever it adds.
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
    // Never below what is in use: that would be cut from the count. Raised only where a place was closed.
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
    // The sidecar writes a label that it was once given again with each other label: so it must know this value.
    if (!this.isFree('label') || (shown === label && sentLabel === label)) return
    this.isLabelSettled = this.isLabelSettled && shown === label
    this.sentLabel = label
    this.write('label', { label }, 1)
  }

  /** The watch shows that no allocation that selects by counter or label finds this server any more. */
  private get isClosed(): boolean {
    const { rules, facts } = this
    const isShut = (key: string, isShown: boolean): boolean => {
      const write = this.writes.get(key)
      // What there is no room for shows a count that isn't known yet. Any other refusal is for ever.
      return !isOpen(write) && (isShown || (write?.fate === 'refused' && write.ticks === Infinity))
    }
    return (
      isShut(COUNTER, rules.counter === undefined || !!facts.missing || !facts.capacity) &&
      isShut('label', rules.label === undefined || facts.label === 'false')
    )
  }
}
