import type { Sidecar } from '../sidecar.js'
import { allocationAnswer } from './allocation-answer.js'
import type { AnsweredAllocation, GameServerAllocation } from './manifest.js'
import { allocationProblem } from './manifest-problem.js'

/** A GameServerAllocation that a cluster refuses, or one with a field that it doesn't know. The message names the field. */
export class AllocationError extends TypeError {
  override readonly name = 'AllocationError'
}

/**
 * Allocates the sidecar's GameServer by a GameServerAllocation, as a cluster does that has no other.
 *
 * @param control carries out a control command
 * @throws AllocationError
 */
export function allocateGameServer(
  { snapshot }: Pick<Sidecar, 'snapshot'>,
  control: Sidecar['control'],
  manifest: GameServerAllocation,
): AnsweredAllocation {
  const problem = allocationProblem(manifest, snapshot().featureGates)
  if (problem !== undefined) throw new AllocationError(problem.message)
  const result = control({ type: 'allocate', manifest })
  const { gameServer, now } = snapshot()
  return allocationAnswer(manifest, result.ok ? gameServer : result.message, gameServer.object_meta.namespace, now)
}
