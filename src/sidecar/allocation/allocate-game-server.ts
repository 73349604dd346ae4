import type { Sidecar } from '../sidecar.js'
import { allocationAnswer } from './allocation-answer.js'
import type { AnsweredAllocation, GameServerAllocation } from './manifest.js'

/**
 * Allocates the sidecar's GameServer by a checked GameServerAllocation, as a cluster does that has no other.
 *
 * @param control carries out a control command
 */
export function allocateGameServer(
  { snapshot }: Pick<Sidecar, 'snapshot'>,
  control: Sidecar['control'],
  manifest: GameServerAllocation,
): AnsweredAllocation {
  const result = control({ type: 'allocate', manifest })
  const { gameServer, now } = snapshot()
  return allocationAnswer(manifest, result.ok ? gameServer : result.message, gameServer.object_meta.namespace, now)
}
