import type { SidecarState } from '../model/state/sidecar-state.js'

/** Entries between two states that are kept: so much at most is missing from the start of what is told again. */
const interval = 250

interface Checkpoint {
  /** The state before the entry of this number. */
  readonly seq: number
  readonly state: SidecarState
}

/** States from which the versions of the GameServer that a log's entries made can be told again. */
export interface Checkpoints {
  /** Called before each entry, with the oldest that the log still keeps. */
  note(seq: number, state: SidecarState, oldest: number): void
  /** The last one before an entry, or the first one after it. `oldest` is the first entry that is still kept. */
  before(seq: number, oldest: number): Checkpoint | undefined
}

export function createCheckpoints(): Checkpoints {
  let kept: Checkpoint[] = []
  return {
    note(seq, state, oldest) {
      if (kept.length > 0 && seq - kept.at(-1)!.seq < interval) return
      kept = [...kept.filter((one) => one.seq >= oldest), { seq, state }]
    },
    before(seq, oldest) {
      const usable = kept.filter((one) => one.seq >= oldest)
      return usable.filter((one) => one.seq <= seq).at(-1) ?? usable[0]
    },
  }
}
