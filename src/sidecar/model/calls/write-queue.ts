import type { WriteKind } from '../state/sidecar-state.js'
import { done, failUnknown, isBeingDeleted, updateProcess, warn } from '../state/step.js'
import type { Answer, Step } from '../state/step.js'

/** The answer to every read once the object is gone from the cluster. */
export function readable(step: Step): Answer | undefined {
  if (!step.state.gone) return undefined
  const { namespace, name } = step.state.object.object_meta
  return failUnknown(
    `could not retrieve GameServer ${namespace}/${name}: gameserver.agones.dev ${JSON.stringify(name)} not found`,
  )
}

/** Queues a write; one of the same kind that is already queued takes this one along. */
export function enqueue(step: Step, kind: WriteKind, now: number): void {
  const { process, config } = step.state
  if (process.due[kind] !== undefined) return
  updateProcess(step, { due: { ...process.due, [kind]: now + config.writeDelay } })
}

/**
 * Asks for a state and ends a reservation. Once the process has given up on the server, it stays Unhealthy.
 */
export function askForState(step: Step, wanted: string, reserveFor: number | undefined, now: number): Answer {
  const { object, process } = step.state
  if (wanted !== 'Unhealthy' && (isBeingDeleted(object) || object.status.state === 'Unhealthy')) {
    warn(
      step,
      'call-after-end',
      `The GameServer is ${object.status.state} and stays so: this call is answered with 200 and ignored.`,
    )
  }
  updateProcess(step, {
    reserveEnds: undefined,
    reserveFor,
    wantedState: process.wantedState === 'Unhealthy' ? 'Unhealthy' : wanted,
  })
  enqueue(step, 'state', now)
  return done
}

/** Gives up on the server, for good. */
export function askForUnhealthy(step: Step, at: number): void {
  const { wantedState, due } = step.state.process
  if (wantedState === 'Unhealthy' && due.state !== undefined) return
  updateProcess(step, { wantedState: 'Unhealthy' })
  enqueue(step, 'state', at)
}
