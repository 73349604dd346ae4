import type { GameServer, SidecarClient, SidecarError } from '../index.js'
import { allocatedAt, isOlder } from './facts.js'
import type { Seat, SeatWrite } from './seat.js'
import { createStop } from './timer.js'
import { backoff, isRefusal, SETTLE } from './write.js'

interface Parts {
  /** What was seen last. */
  last(): GameServer | undefined
  isHeld(seat: Seat): boolean
  /** Takes an object that was read. */
  take(gameServer: GameServer): void
  refused(seat: Seat, error: SidecarError): void
  /** The value isn't ours, or may not be any more. */
  promised(seat: Seat): void
  look(): void
}

export interface SeatWrites {
  /** Adds the value of a seat, or removes it; only where nothing is on its way. */
  send(seat: Seat, isIn: boolean): void
  /** Finds out what became of the writes that don't show. */
  ask(seats: readonly Seat[]): Promise<void>
}

/** Whether such a write may still come about. */
export function isOnItsWay({ write }: Seat, isIn: boolean): boolean {
  return !!write && write.isIn === isIn && !write.isShown
}

/** A newer object has come. */
export function noteShown(seat: Seat, isHeld: boolean): void {
  const { write } = seat
  if (write?.isIn !== isHeld) return
  write.isShown = true
  if (!write.isAnswered) return
  delete seat.write
  seat.pause = seat.refusals = 0
}

/**
 * Changes the list value by value. A write whose outcome isn't known is never just made again: the first may have come
 * about, and what an allocation has promised since would be taken away by the second. So the sidecar is asked, whose list
 * holds what it has accepted and not written yet; the object is what is written.
 */
export function createSeatWrites<Int>(client: SidecarClient<Int>, list: string, parts: Parts): SeatWrites {
  const { last, isHeld, take, refused, promised, look } = parts

  async function follow(seat: Seat, write: SeatWrite, call: Promise<unknown>): Promise<void> {
    seat.pause = SETTLE
    try {
      await call
    } catch (thrown) {
      const error = thrown as SidecarError
      seat.pause = 1
      if (write.isShown) {
        // It doesn't matter any more.
      } else if (isRefusal(error)) {
        delete seat.write
        seat.pause = backoff(seat.refusals++)
        refused(seat, error)
      } else if (write.isIn && error.code === 'ALREADY_EXISTS') promised(seat)
    }
    write.isAnswered = true
    noteShown(seat, isHeld(seat))
    look()
  }

  return {
    send(seat, isIn) {
      const { signal, stop } = createStop()
      const write: SeatWrite = { isIn, allocation: allocatedAt(last()), stop }
      seat.write = write
      void follow(seat, write, client[isIn ? 'addListValue' : 'removeListValue'](list, seat.id, { signal }))
    },
    async ask(seats) {
      const asked = seats.map((seat) => [seat, seat.write!] as const)
      for (const seat of seats) seat.pause = 1
      const { values } = await client.getList(list, { timeout: 5000 })
      const gameServer = await client.getGameServer({ timeout: 5000 })
      take(gameServer)
      // What was watched meanwhile is newer.
      if (isOlder(gameServer, last()!)) return
      for (const [seat, write] of asked) {
        if (seat.write !== write) continue
        if (values.includes(seat.id) !== isHeld(seat)) continue
        delete seat.write
        seat.pause = 0
        if (!write.isIn && write.allocation !== allocatedAt(gameServer)) promised(seat)
      }
    },
  }
}
