import type { Players } from '../../../src/players/index.js'
import type { Ledger } from './ledger.js'
import type { Random } from './random.js'

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
export function createCrowd({ size, tracker, ledger, random, pause, now }: CrowdParts) {
  const made = { joins: 0, leaves: 0 }
  const players = Array.from({ length: size }, (_, index) => ({
    id: `p${index}`,
    next: now() + random.between(0, pause * 2),
    /** The join that has no answer yet. */
    join: undefined as object | undefined,
  }))
  type Player = (typeof players)[number]

  function join(player: Player): void {
    made.joins++
    const own = (player.join = {})
    // Some servers don't wait for a minute.
    const options = random.chance(0.2) ? { timeout: random.between(200, 4000) } : {}
    const settle = (isIn: boolean): void => {
      // The player may have left since, and joined anew.
      if (player.join !== own) return
      player.join = undefined
      if (isIn) ledger.come(player.id)
    }
    tracker.join(player.id, options).then(
      () => settle(true),
      () => settle(false),
    )
  }

  function leave(player: Player): void {
    made.leaves++
    player.join = undefined
    ledger.leave(player.id)
    tracker.leave(player.id).catch((error: unknown) => ledger.violate(`leave('${player.id}'): ${String(error)}`))
  }

  return {
    made,
    ids: players.map(({ id }) => id),
    joining: (): string[] => players.filter((player) => player.join).map(({ id }) => id),
    /** Lets each player act whose time has come. */
    act(): void {
      for (const player of players) {
        if (player.next > now()) continue
        player.next = now() + random.between(1, pause * 2)
        if (ledger.here.has(player.id)) leave(player)
        // The socket may close before the player has the seat.
        else if (player.join) {
          if (random.chance(0.05)) leave(player)
        }
        // Some promised players never come, or come after their seat is free again.
        else if (ledger.promised.has(player.id) && random.chance(0.3)) player.next = now() + pause * 20
        else join(player)
      }
    },
    /** Every player who is here or joining leaves for good. */
    allLeave(): void {
      for (const player of players) if (ledger.here.has(player.id) || player.join) leave(player)
    },
  }
}
