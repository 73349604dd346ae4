import { endReasonOf } from '../../protocol/end-reason.js'
import type { GameServer } from '../../protocol/game-server.js'
import { host } from '../runtime/host.js'
import type { Scope } from '../runtime/scope.js'
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
  /** In a page that a host runs, listens to what that says. */
  followHost(scope: Scope): void
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
    followHost(scope: Scope) {
      const { gameServerHost } = host()
      if (!gameServerHost?.addEventListener || scope.reason) return
      const listener = ({ deadline }: { readonly deadline: number }): void => ending.begin('signal', deadline)
      gameServerHost.addEventListener('ending', listener)
      scope.onEnd(() => gameServerHost.removeEventListener?.('ending', listener))
    },
  }
  return ending
}
