import type { SidecarError } from '../index.js'

/** What the game wants with a seat. `gone`: its value is to leave the list. */
export type Stage = 'expected' | 'joining' | 'here' | 'gone'

/** A value that was added to the list, or removed from it. */
export interface SeatWrite {
  readonly isIn: boolean
  /** The last allocation that was known before. */
  readonly allocation: string | undefined
  isAnswered?: boolean
  /** An object has shown it. */
  isShown?: boolean
  stop(): void
}

/** One value of the list, from when it is known until nothing of it can come any more. */
export interface Seat {
  readonly id: string
  stage: Stage
  /** The call that is on its way, or whose effect isn't known yet. */
  write?: SeatWrite
  /** Ticks until the sidecar is asked what became of the write; without one, until the next may be made. */
  pause: number
  /** How often a write was refused. */
  refusals: number
  /** An allocation has promised it to one who is joining. */
  isPromised?: boolean
  /** Ends the timer that runs in this stage. */
  stopTimer(): void
  /** Ends the join that waits. */
  settle(error?: SidecarError): void
}
