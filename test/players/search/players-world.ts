import { SidecarError, type GameServer } from '../../../src/index.js'
import {
  createPlayersState,
  idsIn,
  join,
  noShow,
  players,
  quit,
  type PlayersState,
  type SeatWrite,
} from '../../../src/players/tracking/players-reducer.js'
import { endCheck, shown, type Facts } from '../../../src/players/tracking/writes.js'
import { gameServer } from '../../support/game-server.js'
import { disagreement, violation, type Truth } from './invariants.js'
import { World } from './world.js'

const CAPACITY = 2
const LIST = 'players'

interface Call {
  readonly id: string
  readonly isAdd: boolean
}

/** The list as the platform holds it at one moment. */
interface Stored {
  readonly values: readonly string[]
  readonly version: number
  readonly allocation: number
}

/** How many times each action and each fault may happen. */
export interface Budget {
  join: number
  leave: number
  allocate: number
  fault: number
  noShow: number
}

export class PlayersWorld extends World<PlayersState, SeatWrite, Call, Stored, readonly string[]> {
  readonly state: PlayersState
  stored: Stored = { values: [], version: 1, allocation: 0 }
  adding: readonly string[] = []
  removing: readonly string[] = []
  here: readonly string[] = []
  promised: readonly string[] = []
  joining: readonly string[] = []
  budget: Budget
  private readonly ids: readonly string[]

  constructor(ids: readonly string[], budget: Budget, kind = players) {
    super(kind)
    this.state = createPlayersState({ list: LIST, limit: Infinity })
    this.ids = ids
    this.budget = budget
    this.show(this.stored)
  }

  private get truth(): Truth {
    return {
      capacity: CAPACITY,
      listed: this.stored.values,
      here: [...this.here].sort(),
      promised: this.promised,
      joining: this.joining,
      ids: idsIn(this.state, 'here').sort(),
      expected: idsIn(this.state, 'expected'),
      doubled: this.wrong,
    }
  }

  get violation(): string | undefined {
    return violation(this.truth)
  }

  get disagreement(): string | undefined {
    return disagreement(this.truth)
  }

  get key(): string {
    const { state, stored } = this
    const age = (version: number): number => stored.version - version
    return JSON.stringify([
      [...state.seats],
      [...state.writes].map(([id, { what, ...write }]) => [id, whatOf(what, stored), write]),
      state.facts && [[...state.facts.values!], age(Number(state.facts.version)), state.facts.allocation],
      [stored.values, stored.allocation],
      this.unseen.map(({ values, allocation }) => [values, allocation]),
      [this.adding, this.removing, this.calls, this.held, this.isAway],
      this.question,
      [this.here, this.promised, this.joining, this.wrong, this.budget],
    ])
  }

  protected get ownActions(): string[] {
    const { budget, ids, here, joining, stored } = this
    const list = (name: keyof Budget | 'promise', among: readonly string[], left: number): string[] =>
      left > 0 ? among.map((id) => `${name} ${id}`) : []
    const newcomers = ids.filter((id) => !here.includes(id) && !joining.includes(id))
    const strangers = stored.values.length < CAPACITY ? ids.filter((id) => this.isStranger(id)) : []
    const allocations = this.isAway ? 0 : budget.allocate
    return [
      ...list('join', newcomers, budget.join),
      ...list('leave', [...here, ...joining], budget.leave),
      ...list('promise', strangers, allocations),
      ...(allocations > 0 ? ['allocate'] : []),
      ...list('noShow', idsIn(this.state, 'expected'), budget.noShow),
    ]
  }

  protected get isUnwritten(): boolean {
    return this.adding.length + this.removing.length > 0
  }

  protected get mayCut(): boolean {
    return this.held.every(({ isAdd }) => isAdd)
  }

  override act(action: string): void {
    const [name, id = ''] = action.split(' ') as [string, string?]
    const { budget } = this
    if (name === 'join') this.spend('join').join(id)
    else if (name === 'leave') this.spend('leave').leave(id)
    else if (name === 'promise') this.spend('allocate').allocate([id])
    else if (name === 'allocate') this.spend('allocate').allocate([])
    else if (name === 'noShow') this.spend('noShow').change(() => noShow(this.state, id))
    else super.act(action)
    if (budget !== this.budget) throw new Error('A budget belongs to one world')
  }

  private spend(name: keyof Budget): this {
    this.budget[name]--
    return this
  }

  /**
   * Whether a matchmaker may promise a seat to the player. A matchmaker skips players who are known to have a seat or
   * to get one. The world also skips a player whose accepted add was cut off by an allocation of the last seat: no
   * object tells a new promise from that add.
   */
  private isStranger(id: string): boolean {
    const write = this.state.writes.get(id)
    if (write && 'add' in write.what && write.fate === 'accepted') return false
    const isAdded = this.adding.includes(id) || [...this.calls, ...this.held].some((call) => call.id === id)
    return !isAdded && !this.here.includes(id) && !this.stored.values.includes(id)
  }

  private join(id: string): void {
    this.joining = [...this.joining, id]
    this.change(() => join(this.state, id))
  }

  private leave(id: string): void {
    this.here = this.here.filter((other) => other !== id)
    this.change(() => quit(this.state, id, new SidecarError('ABORTED', 'left')))
  }

  private allocate(ids: readonly string[]): void {
    this.promised = [...this.promised, ...ids]
    this.store(this.stored.values.concat(ids), this.stored.allocation + 1)
  }

  private store(values: readonly string[], allocation = this.stored.allocation): void {
    if (values === this.stored.values && allocation === this.stored.allocation) return
    this.stored = { values, allocation, version: this.stored.version + 1 }
    this.unseen = [...this.unseen, this.stored]
  }

  protected get view(): readonly string[] {
    const kept = this.stored.values.filter((id) => !this.removing.includes(id))
    return [...new Set([...kept, ...this.adding])].slice(0, CAPACITY)
  }

  protected carryOut({ id, isAdd }: Call): SidecarError | undefined {
    const { view } = this
    if (isAdd && view.includes(id)) return new SidecarError('ALREADY_EXISTS', id)
    if (isAdd && view.length >= CAPACITY) return new SidecarError('OUT_OF_RANGE', id)
    if (isAdd) this.adding = [...this.adding, id]
    else if (this.adding.includes(id)) this.adding = this.adding.filter((other) => other !== id)
    else if (!view.includes(id)) return new SidecarError('NOT_FOUND', id)
    else this.removing = [...this.removing, id]
    return undefined
  }

  protected flush(): void {
    const { view } = this
    this.forget()
    if (view.join() !== this.stored.values.join()) this.store(view)
  }

  protected forget(): void {
    this.adding = this.removing = []
  }

  protected show(stored: Stored): void {
    this.unseen = this.unseen.slice(this.unseen.indexOf(stored) + 1)
    this.change(() => shown(this.state, this.kind, objectOf(stored)))
  }

  protected reply(): void {
    const values = this.question!
    this.question = undefined
    this.change(() => endCheck(this.state, this.kind, { values, count: undefined, gameServer: objectOf(this.stored) }))
    // The watch doesn't repeat the objects that the read has shown.
    this.unseen = this.unseen.filter(({ version }) => version > Number(this.state.facts.version))
  }

  protected perform([type, event, what]: PlayersState['effects'][number]): void {
    if (type === 'send') {
      this.send({ id: event, isAdd: 'add' in what })
    } else if (type === 'settle' || type === 'joined') {
      const { id } = event
      if (!this.joining.includes(id)) this.wrong = [...this.wrong, `an outcome for ${id}`]
      this.joining = this.joining.filter((other) => other !== id)
      if (type === 'settle') return
      this.here = [...this.here, id]
      this.promised = this.promised.filter((other) => other !== id)
    } else if (type === 'noshow') this.promised = this.promised.filter((other) => other !== event.id)
  }
}

function whatOf(what: object, { version }: Stored): unknown {
  if (!('since' in what)) return 'add'
  const { since } = what as { since: Facts }
  return [version - Number(since.version), since.allocation]
}

export const objectOf = ({ values, version, allocation }: Stored, capacity: unknown = `${CAPACITY}`): GameServer =>
  gameServer(version, {
    annotations: { 'agones.dev/last-allocated': `${allocation}` },
    lists: { [LIST]: { capacity: capacity as string, values: [...values] } },
  })
