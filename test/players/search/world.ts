import { SidecarError } from '../../../src/index.js'
import * as writes from '../../../src/players/tracking/writes.js'
import type { Kind, Tracked } from '../../../src/players/tracking/writes.js'
import type { Searchable } from './search.js'

/** Ticks of half a second within which everything must agree. */
const AGREED = 6
/** Faults, which have a budget. */
const FAULTS = /^(lose|hold|restart|away|cut)/

/** An independent copy of a tracker's state. */
function copyOf<State extends Tracked>(state: State): State {
  const copy = { ...state, effects: [] }
  for (const [name, value] of Object.entries(state)) {
    if (value instanceof Map) Object.assign(copy, { [name]: new Map(value) })
  }
  copy.writes.forEach((write, key) => copy.writes.set(key, { ...write }))
  return copy
}

/** A sidecar and its watch around a tracker's state: calls are late or lost, and accepted writes land later. */
export abstract class World<
  State extends Tracked<What>,
  What,
  Call extends { readonly id: string },
  Stored,
  View,
> implements Searchable {
  abstract state: State
  abstract budget: { fault: number }
  /** The answer to a question of the tracker in flight: the sidecar's state at that time. */
  question: View | undefined
  /** Events that came twice, or at a wrong time. */
  wrong: readonly string[] = []
  /** Objects that the watch hasn't shown yet, the oldest first. */
  unseen: readonly Stored[] = []
  /** Calls by key that haven't reached the sidecar, and calls that timed out and are held by the sidecar. */
  calls: readonly Call[] = []
  held: readonly Call[] = []
  /** Whether the API server is down: then nothing is written, and nobody can allocate. */
  isAway = false

  protected readonly kind: Kind<State, What>

  constructor(kind: Kind<State, What>) {
    this.kind = kind
  }

  get actions(): string[] {
    const { calls, held, isAway, isUnwritten, unseen } = this
    const mayFail = this.budget.fault > 0
    const actions = this.ownActions
    const add = (name: string, isPossible: unknown): void => void (isPossible && actions.push(name))
    for (const { id } of calls) {
      add(`answer ${id}`, true)
      for (const fault of ['loseAnswer', 'loseCall', 'hold']) add(`${fault} ${id}`, mayFail)
    }
    for (const { id } of held) add(`release ${id}`, true)
    add('back', isAway)
    add('flush', isUnwritten && !isAway)
    add('away', isUnwritten && !isAway && mayFail)
    add('restart', isUnwritten && mayFail)
    add('cut', mayFail && this.state.writes.size && this.mayCut)
    add('show', unseen.length)
    add('showLast', unseen.length > 1)
    add('reply', this.question)
    add('tick', this.isWaiting)
    return actions
  }

  act(action: string): void {
    const [name, id = ''] = action.split(' ') as [string, string?]
    if (FAULTS.test(name)) this.budget.fault--
    if (name === 'answer') this.answer(id, this.carryOut(this.take(id)))
    else if (name === 'loseAnswer') {
      this.carryOut(this.take(id))
      this.answer(id, new SidecarError('UNKNOWN_OUTCOME', 'lost'))
    } else if (name === 'loseCall') {
      this.take(id)
      this.answer(id, new SidecarError('UNKNOWN_OUTCOME', 'lost'))
    } else if (name === 'hold') {
      this.held = [...this.held, this.take(id)]
      this.answer(id, new SidecarError('UNKNOWN_OUTCOME', 'held', { cause: new SidecarError('TIMEOUT', 'late') }))
    } else if (name === 'release') this.release(id)
    else if (name === 'flush') this.flush()
    else if (name === 'restart') this.restart()
    else if (name === 'away') this.isAway = true
    else if (name === 'back') this.isAway = false
    else if (name === 'cut') this.reconnect()
    else if (name === 'show') this.show(this.unseen[0]!)
    else if (name === 'showLast') this.show(this.unseen[this.unseen.length - 1]!)
    else if (name === 'reply') this.reply()
    else this.tick()
  }

  /** Delivers everything in flight. */
  calmDown(): void {
    this.isAway = false
    const hasHeld = this.held.length > 0 || [...this.state.writes.values()].some(({ isHeld }) => isHeld)
    while (this.held.length > 0) this.release(this.held[0]!.id)
    if (hasHeld) this.reconnect()
    for (let ticks = 0; ticks < AGREED; ticks++) {
      for (let step = 0; step < 20 && (this.calls.length > 0 || this.question || this.unseen.length > 0); step++) {
        if (this.calls.length > 0) this.act(`answer ${this.calls[0]!.id}`)
        // The watch is no slower than a read.
        if (this.unseen.length > 0) this.act('show')
        if (this.question) this.reply()
      }
      this.tick()
    }
    while (this.unseen.length > 0) this.act('show')
  }

  protected get isWaiting(): boolean {
    return [...this.state.writes.values()].some(({ ticks }) => ticks > 0 && ticks < Infinity)
  }

  protected release(id: string): void {
    const call = this.held.find((one) => one.id === id)!
    this.held = this.held.filter((one) => one !== call)
    this.carryOut(call)
  }

  /** Lets half a second pass, in which the sidecar writes. */
  protected tick(): void {
    if (!this.isAway) this.flush()
    this.change(() => writes.tick(this.state))
  }

  /** Applies a call to the sidecar and returns its error. */
  protected abstract carryOut(call: Call): SidecarError | undefined
  /** Writes the changes that the sidecar has accepted. */
  protected abstract flush(): void
  /** Loses the changes that the sidecar has accepted and not written. */
  protected abstract forget(): void
  protected abstract show(stored: Stored): void
  /** Answers the question in flight. */
  protected abstract reply(): void
  /** The sidecar's state, including accepted changes that aren't written. */
  protected abstract readonly view: View
  protected abstract perform(effect: State['effects'][number]): void
  abstract readonly key: string
  /** What the game and a matchmaker may do next. */
  protected abstract readonly ownActions: string[]
  /** Whether the sidecar has accepted what it hasn't written. */
  protected abstract readonly isUnwritten: boolean
  /** Whether the watch may reconnect: that counts as a restarted sidecar, which holds no earlier calls. */
  protected abstract readonly mayCut: boolean
  abstract readonly violation: string | undefined
  abstract readonly disagreement: string | undefined

  copy(): this {
    const copy: unknown = Object.assign(Object.create(Object.getPrototypeOf(this) as object) as object, this, {
      budget: { ...this.budget },
      state: copyOf(this.state),
    })
    return copy as this
  }

  /** Changes the tracker's state, lets it decide, and carries out the effects. */
  protected change(make: () => void): void {
    const { state, kind } = this
    for (const one of [make, () => kind.turn(state)]) {
      one()
      writes.settle(state, kind)
      for (const effect of state.effects.splice(0)) this.perform(effect)
    }
    const isDue = [...state.writes.values()].some(({ ticks }) => ticks === 0)
    if (!isDue || this.question) return
    writes.startCheck(state)
    this.question = this.view
  }

  protected send(call: Call): void {
    if (this.calls.some(({ id }) => id === call.id)) this.wrong = [...this.wrong, `a call for ${call.id} came twice`]
    this.calls = [...this.calls, call]
  }

  private take(id: string): Call {
    const call = this.calls.find((one) => one.id === id)!
    this.calls = this.calls.filter((one) => one !== call)
    return call
  }

  private answer(key: string, error: SidecarError | undefined): void {
    this.change(() => writes.answered(this.state, this.kind, key, error))
  }

  /** Restarts the sidecar: unwritten changes and calls in flight are lost. */
  private restart(): void {
    this.forget()
    this.held = []
    for (const { id } of this.calls) {
      this.take(id)
      this.answer(id, new SidecarError('UNKNOWN_OUTCOME', 'restarted'))
    }
    this.question = undefined
    this.change(() => writes.endCheck(this.state, this.kind))
    this.reconnect()
  }

  private reconnect(): void {
    for (const isUp of [false, true]) this.change(() => writes.connection(this.state, isUp))
  }
}
