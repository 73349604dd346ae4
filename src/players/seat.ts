import type { SidecarError } from '../index.js'
import type { Write } from './write.js'

/** What the game wants with a seat. `gone`: its value is to leave the list. */
export type Stage = 'expected' | 'joining' | 'here' | 'gone'

/** One value of the list, from when it is known until nothing of it is left or on its way. */
export interface Seat {
  readonly id: string
  stage: Stage
  readonly write: Write
  /** An add may have been carried out, or may be yet, without anybody knowing. */
  isUncertain: boolean
  /** Ends the timer that runs in this stage. */
  stopTimer: () => void
  /** Ends the join that waits. */
  settle: (error?: SidecarError) => void
}

export const nothing = (): void => {}
