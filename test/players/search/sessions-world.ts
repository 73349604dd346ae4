import { SidecarError, type GameServer } from '../../../src/index.js'
import {
  allocated,
  createSessionsState,
  ended,
  sessions,
  type SessionsState,
  type SessionWrite,
} from '../../../src/players/tracking/sessions-reducer.js'
import { endCheck, settle, shown as showObject, tick } from '../../../src/players/tracking/writes.js'
import { gameServer } from '../../support/game-server.js'
import { sessionsDisagreement, sessionsViolation, type SessionsTruth } from './invariants.js'
import { World } from './world.js'

const CAPACITY = 2
/** Most ticks for which the sidecar holds a call. */
const HELD = 70

interface Call {
  readonly id: string
  readonly what: SessionWrite
  /** Ticks for which the sidecar still holds the call. */
  readonly ticks: number
}

interface View {
  readonly count: number
  readonly capacity: number
}

/** The GameServer as the platform holds it at one moment. */
interface Stored {
  readonly count: number
  readonly capacity: number
  readonly state: string
  readonly version: number
  readonly allocation: number
  /** `true` while an allocation may select this server. */
  readonly label: string
}

/** How many times each action and each fault may happen. */
export interface Budget {
  allocate: number
  end: number
  fault: number
}

export interface Rules {
  /** Counted by a counter; locked by a label, which each allocation sets to `false`; else one session after the other. */
  readonly isCounted?: boolean
  readonly isLabelled?: boolean
  readonly thenShutdown?: number | 'last'
}

export class SessionsWorld extends World<SessionsState, SessionWrite, Call, Stored, View> {
  readonly state: SessionsState
  stored: Stored = { count: 0, capacity: CAPACITY, state: 'Ready', version: 1, allocation: 0, label: 'false' }
  shown: Stored | undefined
  /** Writes that the sidecar has accepted and not written. */
  difference = 0
  newCapacity: number | undefined
  newState: string | undefined
  newLabel: string | undefined
  allocated = 0
  ended = 0
  budget: Budget
  private readonly rules: Rules

  constructor(rules: Rules, budget: Budget, kind = sessions) {
    super(kind)
    const counter = rules.isCounted ? 'rooms' : undefined
    const label = rules.isLabelled ? 'open' : undefined
    this.state = createSessionsState({
      counter,
      label,
      limit: counter ? Infinity : 1,
      thenShutdown: rules.thenShutdown,
    })
    this.rules = rules
    this.budget = budget
    this.show(this.stored)
  }

  private get truth(): SessionsTruth {
    const { stored, state, allocated, ended, rules, wrong } = this
    return { ...rules, ...stored, allocated, ended, started: state.started, wrong }
  }

  get violation(): string | undefined {
    return sessionsViolation(this.truth)
  }

  get disagreement(): string | undefined {
    return sessionsDisagreement(this.truth)
  }

  get key(): string {
    const { state, stored, shown, question } = this
    const { writes, facts, before, ...rest } = state
    const relative = ({ version, ...other }: Stored): unknown => [stored.version - version, other]
    return JSON.stringify([
      [...writes],
      [rest, stored.version - Number(facts.version), stored.version - Number(before.version), before.count],
      [relative(stored), relative(shown!), this.unseen.map(relative)],
      [this.difference, this.newCapacity, this.newState, this.newLabel, this.calls, this.held, this.isAway],
      question?.count,
      [this.allocated, this.ended, this.wrong, this.budget],
    ])
  }

  protected get ownActions(): string[] {
    const { budget, stored, rules, isAway } = this
    const isOpen = rules.isLabelled ? stored.label === 'true' : stored.state === 'Ready'
    const hasPlace = stored.state !== 'Shutdown' && (rules.isCounted ? stored.count < stored.capacity : isOpen)
    return [
      ...(budget.allocate > 0 && !isAway && hasPlace ? ['allocate'] : []),
      ...(budget.end > 0 && this.state.active.length > 0 ? ['end'] : []),
    ]
  }

  protected get isUnwritten(): boolean {
    return !!(this.difference || this.newState || this.newLabel || this.newCapacity !== undefined)
  }

  protected get mayCut(): boolean {
    return this.held.length === 0
  }

  override act(action: string): void {
    if (action === 'allocate') this.allocate()
    else if (action === 'end') this.end()
    else super.act(action)
  }

  private allocate(): void {
    this.budget.allocate--
    this.allocated++
    const { count, allocation } = this.stored
    const change = { state: 'Allocated', allocation: allocation + 1, label: 'false' }
    this.store({ ...change, count: count + Number(!!this.rules.isCounted) })
  }

  private end(): void {
    this.budget.end--
    this.ended++
    this.change(() => ended(this.state, this.state.active[0]!))
  }

  private store(change: Partial<Stored>): void {
    this.stored = { ...this.stored, ...change, version: this.stored.version + 1 }
    this.unseen = [...this.unseen, this.stored]
  }

  protected get view(): View {
    const capacity = this.newCapacity ?? this.stored.capacity
    return { count: Math.min(Math.max(this.stored.count + this.difference, 0), capacity), capacity }
  }

  protected carryOut({ what }: Call): SidecarError | undefined {
    if ('label' in what) this.newLabel = what.label
    if ('state' in what) this.newState = what.state === 'ready' ? 'Ready' : 'Shutdown'
    if (!('update' in what)) return undefined
    const { countDiff, capacity = this.view.capacity } = what.update
    const count = this.view.count + countDiff
    if (count < 0 || count > capacity) return new SidecarError('OUT_OF_RANGE', `${count} of ${capacity}`)
    this.difference += countDiff
    this.newCapacity = capacity
    return undefined
  }

  protected flush(): void {
    const { view, stored, newState, newLabel = stored.label } = this
    this.forget()
    if (newLabel !== stored.label) this.store({ label: newLabel })
    if (view.count !== stored.count || view.capacity !== stored.capacity) this.store(view)
    if (newState && newState !== stored.state) {
      if (this.allocated > this.ended) this.wrong = [...this.wrong, `${newState} while a session runs`]
      this.store({ state: newState })
    }
  }

  protected forget(): void {
    this.difference = 0
    this.newCapacity = this.newState = this.newLabel = undefined
  }

  protected show(stored: Stored): void {
    const { shown } = this
    this.unseen = this.unseen.slice(this.unseen.indexOf(stored) + 1)
    this.shown = stored
    const isNew = shown?.state !== 'Allocated' || shown.allocation !== stored.allocation
    this.change(() => {
      showObject(this.state, this.kind, this.objectOf(stored))
      settle(this.state, this.kind)
      if (stored.state === 'Allocated' && isNew) allocated(this.state)
    })
  }

  protected reply(): void {
    const { count } = this.question!
    this.question = undefined
    const answer = {
      values: undefined,
      count: this.rules.isCounted ? count : undefined,
      gameServer: this.objectOf(this.stored),
    }
    this.change(() => endCheck(this.state, this.kind, answer))
  }

  protected override tick(): void {
    if (!this.isAway) this.flush()
    this.held = this.held.map((call) => ({ ...call, ticks: call.ticks - 1 }))
    for (const { id, ticks } of this.held) if (ticks < 1) this.release(id)
    this.change(() => tick(this.state))
  }

  protected perform([type, key, what]: SessionsState['effects'][number]): void {
    if (type === 'send') this.send({ id: key, what, ticks: HELD })
  }

  private objectOf({ count, capacity, state, version, allocation, label }: Stored): GameServer {
    return gameServer(version, {
      state,
      labels: { 'agones.dev/sdk-open': label },
      annotations: { 'agones.dev/last-allocated': `${allocation}` },
      counters: this.rules.isCounted ? { rooms: { count: `${count}`, capacity: `${capacity}` } } : {},
    })
  }
}
