import { WRITE_MS } from '../state/config.js'
import type { GameServer } from '../../../protocol/game-server.js'
import { done, failUnknown, type Answer } from '../state/answer.js'
import { isFinal, withState } from '../state/game-server.js'
import type { SidecarState, WriteKind } from '../state/sidecar-state.js'
import { updateProcess, warn, writeObject, type Step } from '../state/step.js'

/** The answer to every read once the object is gone from the cluster; undefined before that. */
export function refuseIfGone(state: SidecarState): Answer | undefined {
  if (!state.gone) return undefined
  const { namespace, name } = state.object.object_meta
  return failUnknown(
    `could not retrieve GameServer ${namespace}/${name}: gameserver.agones.dev ${JSON.stringify(name)} not found`,
  )
}

/** Queues a write, unless one of its kind is queued: that one includes it. */
export function enqueue(step: Step, kind: WriteKind): void {
  const { process } = step.state
  if (process.due[kind] !== undefined) return
  updateProcess(step, { due: { ...process.due, [kind]: step.now + WRITE_MS } })
}

/** The answer for an unknown counter or list. Local mode words it differently. */
export function notFound(state: SidecarState, key: string, kind: 'Counter' | 'List' = 'Counter'): Answer {
  const isLocal = state.config.mode === 'local'
  return (
    refuseIfGone(state) ??
    failUnknown(isLocal ? `not found. ${key} ${kind} not found` : `${kind.toLowerCase()} not found: ${key}`)
  )
}

/**
 * Requests a state and ends a reservation. Local mode writes the state at once. A pod queues it; Ready as RequestReady,
 * which the platform makes Ready. Once the process has requested Unhealthy, it requests nothing else.
 */
export function requestState(
  step: Step,
  wanted: 'Ready' | 'Allocated' | 'Shutdown' | 'Reserved',
  reserveFor?: number,
): Answer {
  const { object, process, config } = step.state
  updateProcess(step, { reserveEnds: undefined })
  if (config.mode === 'local') {
    writeObject(step, withState(object, wanted))
    return done
  }
  if (isFinal(object)) {
    warn(
      step,
      'call-after-end',
      `The GameServer is ${object.status.state} and stays so; this call is answered with 200 and ignored.`,
    )
  }
  const written = wanted === 'Ready' ? 'RequestReady' : wanted
  updateProcess(step, {
    reserveFor,
    wantedState: process.wantedState === 'Unhealthy' ? 'Unhealthy' : written,
    undoesAllocation: false,
  })
  enqueue(step, 'state')
  return done
}

/** Notes that the queued Ready is older than the allocation that was just made. */
export function noteAllocation(step: Step, before: GameServer): void {
  const { process, object } = step.state
  if (process.due.state === undefined || process.wantedState !== 'RequestReady') return
  if (object === before || object.status.state !== 'Allocated') return
  updateProcess(step, { undoesAllocation: true })
}

/** Requests Unhealthy, which is final, to be written at a time. */
export function requestUnhealthy(step: Step, at: number): void {
  const { due } = step.state.process
  updateProcess(step, { wantedState: 'Unhealthy', due: { ...due, state: due.state ?? at } })
}
