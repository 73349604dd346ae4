import { endReasonOf } from '../protocol/end-reason.js'
import type { GameServer } from '../protocol/game-server.js'
import type { TellChanges } from './changes.js'
import type { Emitter } from './emitter.js'
import { isNews } from './game-server.js'
import type { EndingEvent, EndReason, SidecarEvents } from './types.js'

/**
 * ms that a GameServer has once it is being deleted: a pod's `terminationGracePeriodSeconds`, which the sidecar doesn't
 * tell, where a manifest says nothing.
 */
const GRACE = 30000

/** What is known of this GameServer, in the order in which the platform wrote it. */
export interface State {
  /** The last GameServer seen. */
  readonly last: GameServer | undefined
  /** The end, once it is known. */
  readonly ending: EndingEvent | undefined
  /** Takes a GameServer, unless it is old or known. Returns whether it was news. */
  offer(gameServer: GameServer): boolean
  /** Calls a function with the last GameServer, and with each that comes. Returns the function that ends that. */
  follow(look: (gameServer: GameServer) => void): () => void
  /**
   * Tells `ending` once, from whichever source reports it first. Returns what its listeners returned.
   *
   * @param deadline ms since the Unix epoch
   */
  end(reason: EndReason, deadline: number): readonly unknown[]
}

export function createState(tellChanges: TellChanges, to: Pick<Emitter<SidecarEvents>, 'emit' | 'has'>): State {
  const followers = new Set<(gameServer: GameServer) => void>()
  let results: readonly unknown[] = []
  const state = {
    last: undefined as GameServer | undefined,
    ending: undefined as EndingEvent | undefined,

    offer(gameServer: GameServer) {
      const previous = state.last
      if (!isNews(previous, gameServer)) return false
      state.last = gameServer
      tellChanges(previous, gameServer, to)
      const reason = endReasonOf(gameServer)
      if (reason) state.end(reason, Date.now() + GRACE)
      followers.forEach((look) => look(gameServer))
      return true
    },

    follow(look: (gameServer: GameServer) => void) {
      followers.add(look)
      if (state.last) look(state.last)
      return () => void followers.delete(look)
    },

    end(reason: EndReason, deadline: number) {
      if (!state.ending) {
        state.ending = { reason, deadline, gameServer: state.last }
        results = to.emit('ending', state.ending)
      }
      return results
    },
  }
  return state
}
