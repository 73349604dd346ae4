import type { Players } from '../../../src/players/index.js'
import type { Ledger } from './ledger.js'
import type { Random } from './random.js'

interface Player {
  readonly id: string
  next: number
  /** Counts up with each join and each leave, so that the answer to an older join is known. */
  turn: number
  joining: boolean
}

interface CrowdParts {
  readonly size: number
  readonly tracker: Players
  readonly ledger: Ledger
  readonly random: Random
  /** ms between two acts of one player, on average */
  readonly pause: number
  now(): number
}

/** Players who join and leave at random, as sockets would make them do. */
export class Crowd {
  joins = 0
  leaves = 0
  /** What became of the joins. */
  readonly outcomes: Record<string, number> = {}
  private readonly players: readonly Player[]

  private readonly tracker: Players
  private readonly ledger: Ledger
  private readonly random: Random
  private readonly pause: number
  private readonly now: () => number

  constructor({ size, tracker, ledger, random, pause, now }: CrowdParts) {
    this.tracker = tracker
    this.ledger = ledger
    this.random = random
    this.pause = pause
    this.now = now
    this.players = Array.from({ length: size }, (_, index) => ({
      id: `p${index}`,
      next: now() + random.between(0, pause * 2),
      turn: 0,
      joining: false,
    }))
  }

  get ids(): readonly string[] {
    return this.players.map(({ id }) => id)
  }

  get joining(): number {
    return this.players.filter(({ joining }) => joining).length
  }

  /** Lets everybody act whose time has come. */
  act(): void {
    const now = this.now()
    for (const player of this.players) {
      if (player.next > now) continue
      player.next = now + this.random.between(1, this.pause * 2)
      if (this.ledger.here.has(player.id)) this.leave(player)
      // Some who were promised a seat never come, or come when it is free again.
      else if (!player.joining && this.ledger.promised.has(player.id) && this.random.chance(0.3))
        player.next = now + this.pause * 20
      else if (!player.joining) this.join(player)
      // The socket closes before the seat is there.
      else if (this.random.chance(0.05)) this.leave(player)
    }
  }

  /** Everybody who has a promise and hasn't come, or is here, leaves for good. */
  allLeave(): void {
    for (const player of this.players) if (this.ledger.here.has(player.id) || player.joining) this.leave(player)
  }

  private join(player: Player): void {
    this.joins++
    const turn = ++player.turn
    player.joining = true
    // Some servers don't wait for a minute.
    const options = this.random.chance(0.2) ? { timeout: this.random.between(200, 4000) } : {}
    this.tracker.join(player.id, options).then(
      (outcome) => this.settle(player, turn, outcome),
      (error: unknown) => this.settle(player, turn, (error as { code?: string }).code ?? String(error)),
    )
  }

  private settle(player: Player, turn: number, outcome: string): void {
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1
    if (player.turn !== turn) return
    player.joining = false
    if (outcome === 'joined' || outcome === 'expected') this.ledger.come(player.id)
  }

  private leave(player: Player): void {
    this.leaves++
    player.turn++
    player.joining = false
    this.ledger.leave(player.id)
    this.tracker.leave(player.id).then(undefined, (error: unknown) => {
      this.ledger.violate('error', `leave('${player.id}') rejected: ${String(error)}`)
    })
  }
}
