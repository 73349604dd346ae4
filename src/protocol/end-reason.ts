import type { GameServer } from './game-server.js'

/** Why a GameServer says that it ends; undefined while it doesn't. */
export function endReasonOf({
  object_meta: { deletion_timestamp: deleted },
  status: { state },
}: GameServer): 'shutdown' | 'unhealthy' | 'deleted' | undefined {
  if (state === 'Unhealthy') return 'unhealthy'
  if (state === 'Shutdown') return 'shutdown'
  // One that is deleted from outside is never Shutdown: only its time of deletion is set.
  return deleted && deleted !== '0' ? 'deleted' : undefined
}
