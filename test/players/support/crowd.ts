import type { Players } from '../../../src/players/index.js'
import type { Ledger } from './ledger.js'
import type { Random } from './random.js'

interface Player {
  readonly id: string
  next: number
  /** Grows with each join and each leave, which identifies the answer to an older join. */
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

/** Players who join and leave at random, like the sockets of a game. */
export class Crowd {
  joins = 0
  leaves = 0
  private readonly parts: CrowdParts
  private readonly players: readonly Player[]

  constructor(parts: CrowdParts) {
    const { size, now, random, pause } = parts
    this.parts = parts
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

  get joining(): readonly string[] {
    return this.players.filter(({ joining }) => joining).map(({ id }) => id)
  }

  /** Lets each player act whose time has come. */
  act(): void {
    const { ledger, random, pause } = this.parts
    const now = this.parts.now()
    for (const player of this.players) {
      if (player.next > now) continue
      player.next = now + random.between(1, pause * 2)
      if (ledger.here.has(player.id)) this.leave(player)
      // Some promised players never come, or come after their seat is free again.
      else if (!player.joining && ledger.promised.has(player.id) && random.chance(0.3)) player.next = now + pause * 20
      else if (!player.joining) this.join(player)
      // The socket closes before the player has the seat.
      else if (random.chance(0.05)) this.leave(player)
    }
  }

  /** Every player who is here or promised leaves for good. */
  allLeave(): void {
    for (const player of this.players) if (this.parts.ledger.here.has(player.id) || player.joining) this.leave(player)
  }

  private join(player: Player): void {
    const { tracker, ledger, random } = this.parts
    this.joins++
    const turn = ++player.turn
    player.joining = true
    // Some servers don't wait for a minute.
    const options = random.chance(0.2) ? { timeout: random.between(200, 4000) } : {}
    const settle = (isIn: boolean): void => {
      if (player.turn !== turn) return
      player.joining = false
      if (isIn) ledger.come(player.id)
    }
    tracker.join(player.id, options).then(
      () => settle(true),
      () => settle(false),
    )
  }

  private leave(player: Player): void {
    const { tracker, ledger } = this.parts
    this.leaves++
    player.turn++
    player.joining = false
    ledger.leave(player.id)
    tracker.leave(player.id).catch((error: unknown) => ledger.violate(`leave('${player.id}'): ${String(error)}`))
  }
}
