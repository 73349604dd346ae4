import type { GameServer } from '../../protocol/game-server.js'
import type { EndingEvent, EndReason } from '../types.js'

/**
 * ms that a GameServer has once it is being deleted: a pod's `terminationGracePeriodSeconds`, which the sidecar doesn't
 * tell, where a manifest says nothing.
 */
const GRACE = 30000

/** Tells the end of this GameServer once, by whatever says so first. */
export interface Ending {
  /** The end, once it is known. */
  readonly event: EndingEvent | undefined
  /** @param deadline ms since the Unix epoch */
  begin(reason: EndReason, deadline: number): void
  /** Looks whether a GameServer says that it ends. */
  look(gameServer: GameServer): void
}

export function createEnding(tell: (event: EndingEvent) => void, last: () => GameServer | undefined): Ending {
  const ending = {
    event: undefined as EndingEvent | undefined,
    begin(reason: EndReason, deadline: number) {
      if (ending.event) return
      ending.event = { reason, deadline, gameServer: last() }
      tell(ending.event)
    },
    look(gameServer: GameServer) {
      const reason = endReasonOf(gameServer)
      if (reason) ending.begin(reason, Date.now() + GRACE)
    },
  }
  return ending
}

/** A server that is deleted from outside is never Shutdown: only its time of deletion is set. */
function endReasonOf({ object_meta: { deletion_timestamp: deleted }, status }: GameServer): EndReason | undefined {
  if (status.state === 'Unhealthy') return 'unhealthy'
  if (status.state === 'Shutdown') return 'shutdown'
  return deleted && deleted !== '0' ? 'deleted' : undefined
}
