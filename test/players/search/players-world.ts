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
import { endCheck, shown } from '../../../src/players/tracking/writes.js'
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

export class PlayersWorld extends World<PlayersState, SeatWrite, Call, Stored, readonly string[]> {
  readonly state: PlayersState
  stored: Stored = { values: [], version: 1, allocation: 0 }
  adding: readonly string[] = []
  removing: readonly string[] = []
  here: readonly string[] = []
  promised: readonly string[] = []
  joining: readonly string[] = []
  private readonly ids: readonly string[]

  constructor(ids: readonly string[], kind = players) {
    super(kind)
    this.state = createPlayersState({ list: LIST, limit: Infinity })
    this.ids = ids
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

  protected get disagreement(): string | undefined {
    return disagreement(this.truth)
  }

  protected get ownActions(): string[] {
    const { ids, here, joining, stored, isAway } = this
    const list = (name: string, among: readonly string[]): string[] => among.map((id) => `${name} ${id}`)
    const newcomers = ids.filter((id) => !here.includes(id) && !joining.includes(id))
    const strangers = stored.values.length < CAPACITY ? ids.filter((id) => this.isStranger(id)) : []
    return [
      ...list('join', newcomers),
      ...list('leave', [...here, ...joining]),
      ...(isAway ? [] : [...list('promise', strangers), 'allocate']),
      ...list('noShow', idsIn(this.state, 'expected')),
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
    if (name === 'join') this.join(id)
    else if (name === 'leave') this.leave(id)
    else if (name === 'promise') this.allocate([id])
    else if (name === 'allocate') this.allocate([])
    else if (name === 'noShow') this.change(() => noShow(this.state, id))
    else super.act(action)
  }

  /**
   * Whether a matchmaker may promise a seat to the player. A matchmaker skips players who are known to have a seat or
   * to get one. The world also skips a player whose accepted add was cut off by an allocation of the last seat: no
   * object tells a new promise from that add.
   */
  private isStranger(id: string): boolean {
    const write = this.state.writes.get(id)
    if (write && 'add' in write.what && write.fate === 'open') return false
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

const objectOf = ({ values, version, allocation }: Stored): GameServer =>
  gameServer(version, {
    annotations: { 'agones.dev/last-allocated': `${allocation}` },
    lists: { [LIST]: { capacity: `${CAPACITY}`, values: [...values] } },
  })
