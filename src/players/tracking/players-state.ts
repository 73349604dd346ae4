import { SidecarError, type GameServer } from '../../index.js'
import { factsOf, type Facts } from './facts.js'
import type { PlayersEvents } from './types.js'
import { COUNTER, isOpen, Writes, type Write } from './writes.js'

/** The game's wish for a seat. `promised`: joining with an allocation's promise. `gone`: its value is to be removed. */
export type Stage = 'expected' | 'joining' | 'promised' | 'here' | 'gone'

/** The adding of a value, the removal of a value with the facts known at that time, or the counter's count. */
export type SeatWrite = { readonly add: true } | { readonly since: Facts } | { readonly count: number }

export type JoinOutcome = 'expected' | 'joined' | SidecarError

export interface PlayersEffects extends PlayersEvents {
  /** A join has its outcome. */
  settle: { id: string; outcome: JoinOutcome }
}

/** Reconciles the list with the game: adds and removes values until the watched object agrees with the game's wish. */
export class PlayersState extends Writes<SeatWrite, PlayersEffects> {
  seats = new Map<string, Stage>()
  /** The reason why nobody can join. */
  failure: SidecarError | undefined
  private wasFull = false

  get isFull(): boolean {
    return this.seats.size - this.idsIn('gone').length >= this.most
  }

  idsIn(...stages: Stage[]): string[] {
    return Array.from(this.seats.keys()).filter((id) => stages.includes(this.seats.get(id)!))
  }

  object(gameServer: GameServer): void {
    const before = this.facts
    const now = (this.facts = factsOf(gameServer, this.rules))
    // An accepted add is lost if the list fills up before the sidecar writes the add.
    if (now.values && now.values.size >= now.room)
      this.writes.forEach((write, id) => {
        if (write.fate === 'accepted' && !this.isHeld(id)) write.fate = 'unknown'
      })
    if (this.isOver) return
    if (!now.missing) this.failure = undefined
    if (now.values)
      now.values.forEach((id) => {
        if (before.values && before.values.has(id) && this.seats.has(id)) return
        if (!this.isOurs(id, before, now)) this.promised(id)
        else if (!this.seats.has(id)) this.seats.set(id, 'gone')
      })
  }

  join(id: string): void {
    this.seats.set(id, this.seats.get(id) === 'expected' ? 'promised' : 'joining')
  }

  /** A seated player leaves, or a join is given up. */
  quit(id: string, error: SidecarError): void {
    if (this.seats.get(id) === 'here') this.effects.push(['left', { id }])
    this.refuse(id, error)
  }

  noShow(id: string): void {
    if (this.seats.get(id) !== 'expected') return
    this.seats.set(id, 'gone')
    this.effects.push(['noshow', { id }])
  }

  end(error: SidecarError): void {
    this.isOver = true
    this.failure = error
    this.decide()
  }

  turn(): void {
    const { facts, wasFull } = this
    const { state, missing, values } = facts
    if (!state) return
    this.decide()
    if (values && !missing) this.seats.forEach((stage, id) => this.reconcile(id, stage, values.size < facts.room))
    if (!missing) this.writeCount(facts)
    this.wasFull = this.isFull
    if (this.isFull && !wasFull) this.effects.push(['full', { capacity: this.most }])
  }

  protected shows(what: SeatWrite, id: string): boolean {
    return 'count' in what ? what.count === this.facts.count : this.isHeld(id) === 'add' in what
  }

  protected failed(id: string, write: Write<object>, error: SidecarError, isRefused: boolean): void {
    const { what, isShown, isHeld } = write
    const isFull = error.code === 'OUT_OF_RANGE'
    // A value that is being removed makes room for the add.
    const mayHaveRoom = isFull && this.idsIn('gone').some((other) => this.isHeld(other))
    if (!isRefused) {
      if (error.code === 'ALREADY_EXISTS' && !isShown && !isHeld) this.promised(id)
    } else if ('add' in what && this.idsIn('joining', 'promised').includes(id)) {
      if (!mayHaveRoom) this.refuse(id, error)
    } else if (!isFull) this.effects.push(['error', error])
  }

  lacks(error: SidecarError): void {
    this.failure = error
    this.effects.push(['error', error])
  }

  protected lost(id: string, what: SeatWrite): void {
    // The removal may have landed, and an allocation may have put the value back.
    const { allocation, generation } = this.facts
    if ('since' in what && what.since.allocation !== allocation && generation - what.since.generation !== 1)
      this.promised(id)
  }

  private isHeld(id: string): boolean {
    const { values } = this.facts
    return !values || values.has(id)
  }

  /** Whether an allocation has put the value into the list for a player who is joining. */
  private hasPromise(id: string): boolean {
    return this.seats.get(id) === 'promised' && this.isHeld(id)
  }

  /** Whether the list holds the value, and no removal of ours is still in flight. */
  private isSeated(id: string): boolean {
    const write = this.writes.get(id)
    return this.isHeld(id) && !(isOpen(write) && 'since' in write!.what && !write!.isShown)
  }

  /**
   * Whether a new value comes from our own add. A value that appears together with an allocation is a promise. The one
   * exception: one more write lies between both objects, and this write can only be the accepted add of a player who
   * has left since.
   */
  private isOurs(id: string, before: Facts, now: Facts): boolean {
    const write = this.writes.get(id)
    if (!before.state || !write || write.fate === 'refused' || write.isShown || !('add' in write.what)) return false
    if (before.allocation === now.allocation) return true
    const isOnly = Array.from(this.writes.values()).filter(isOpen).length === 1
    return (
      isOnly && this.seats.get(id) === 'gone' && write.fate === 'accepted' && now.generation - before.generation === 2
    )
  }

  private expect(id: string): void {
    this.seats.set(id, 'expected')
    this.effects.push(['expected', { id }])
  }

  /** An allocation has put the value into the list, or may have. */
  private promised(id: string): void {
    const stage = this.seats.get(id)
    if (this.isOver) return
    if (stage === 'joining') this.seats.set(id, 'promised')
    else if (!stage || stage === 'gone') this.expect(id)
  }

  /** Ends a seat and takes back its writes. */
  private refuse(id: string, outcome: SidecarError): void {
    const stage = this.seats.get(id)
    if (this.hasPromise(id) && !this.isOver) this.expect(id)
    else if (this.facts.values) this.seats.set(id, 'gone')
    else this.seats.delete(id)
    if (stage !== 'here') this.effects.push(['settle', { id, outcome }])
  }

  /** In the order of arrival, admits players who have a seat and refuses those beyond the capacity. */
  private decide(): void {
    const { failure } = this
    if (!failure && this.facts.missing) return
    let taken = this.idsIn('here', 'expected').length
    for (const id of this.idsIn('joining', 'promised')) {
      const hasPromise = this.hasPromise(id)
      if (failure) this.refuse(id, failure)
      else if (++taken > this.most && !hasPromise)
        this.refuse(id, new SidecarError('OUT_OF_RANGE', 'Every seat is taken or promised'))
      else if (this.isSeated(id)) {
        this.seats.set(id, 'here')
        this.effects.push(['settle', { id, outcome: hasPromise ? 'expected' : 'joined' }], ['joined', { id }])
      }
    }
  }

  /** Writes the wish for a seat once no write for it is in flight. */
  private reconcile(id: string, stage: Stage, hasRoom: boolean): void {
    const isUnwanted = stage === 'gone'
    if (this.isHeld(id)) {
      if (isUnwanted) this.write(id, { since: this.facts }, 2)
    } else if (isUnwanted || stage === 'expected') {
      if (isOpen(this.writes.get(id))) return
      this.seats.delete(id)
      if (!this.isFree(id)) this.writes.delete(id)
      // The list has no room while removals are in flight, or after the capacity was lowered.
    } else if (!this.isOver && hasRoom) this.write(id, { add: true }, 1)
  }

  private writeCount(facts: Facts): void {
    if (facts.count === undefined) return
    const count = Math.min(this.idsIn('here').length, facts.capacity)
    if (count !== facts.count && !(this.isOver && count > facts.count)) this.write(COUNTER, { count }, 1)
  }
}
