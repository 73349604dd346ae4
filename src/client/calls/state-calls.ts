import type { GameServer } from '../../protocol/game-server.js'
import { lostGameServer } from '../game-server/game-server.js'

/** The operations that ask for a state, and the state. */
export const STATE_OF = {
  ready: 'Ready',
  allocate: 'Allocated',
  reserve: 'Reserved',
  shutdown: 'Shutdown',
} as const

export type StateCall = keyof typeof STATE_OF

/**
 * Whether a state call must not be sent, by what the watch shows: true where it is done already.
 * @throws SidecarError `UNAVAILABLE` where the sidecar would ignore it
 */
export function isDone(operation: StateCall, shown: GameServer | undefined, force: boolean | undefined): boolean {
  if (!shown) return false
  const { state } = shown.status
  // A `ready` that waits in the sidecar's queue undoes an allocation that is made meanwhile.
  if (operation === 'ready' && state === 'Ready' && !force) return true
  if (operation === 'shutdown' && state === 'Shutdown') return true
  if (state === 'Unhealthy' || state === 'Shutdown') throw lostGameServer(state)
  return false
}
