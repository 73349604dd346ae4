import type { EndReason } from '../state/effect.js'
import { isMarked, withState } from '../state/game-server-edits.js'
import type { SidecarState } from '../state/sidecar-state.js'
import { update, writeObject, type Step } from '../state/step.js'

/** Schedules the platform's reaction to the GameServer's present state. */
export function followObject(step: Step, at: number): void {
  const { config, object, goneAt, ending } = step.state
  const present = endReason(step.state)
  if (present === undefined) {
    if (ending !== undefined) update(step, { ending: undefined })
    return
  }
  // An Unhealthy GameServer becomes Shutdown later: the first reason counts.
  const reason = ending?.reason ?? present
  // An Unhealthy GameServer without a Fleet stays Unhealthy.
  const isHandled = object.status.state === 'Shutdown' || config.replaceAfter !== undefined
  const nextAt = isMarked(object) || !isHandled ? undefined : (ending?.nextAt ?? at + config.controllerDelay)
  const replacesAt =
    ending?.replacesAt ??
    // A Fleet counts a deleted GameServer until its pod is gone.
    (config.replaceAfter === undefined ? undefined : Math.max(at + config.replaceAfter, goneAt ?? at))
  if (ending?.nextAt === nextAt && ending?.replacesAt === replacesAt && ending?.reason === reason) return
  update(step, { ending: { reason, nextAt, replacesAt } })
}

/** Takes the platform's next step: from Unhealthy to Shutdown, and from Shutdown to the deletion timestamp. */
export function endObject(step: Step, at: number): void {
  const { ending, object } = step.state
  if (ending !== undefined) update(step, { ending: { ...ending, nextAt: undefined } })
  if (object.status.state === 'Shutdown') markDeleted(step, at)
  else writeObject(step, withState(object, 'Shutdown'))
}

/** Sets the deletion timestamp. */
export function markDeleted(step: Step, at: number): void {
  const { object } = step.state
  const timestamp = String(Math.floor(at / 1000))
  writeObject(step, { ...object, object_meta: { ...object.object_meta, deletion_timestamp: timestamp } }, true)
}

/** Why the GameServer has ended; undefined if it hasn't. Local mode has no platform that would end it. */
function endReason({ config, object, gone, goneAt }: SidecarState): EndReason | undefined {
  if (config.mode === 'local') return undefined
  if (gone || goneAt !== undefined) return 'deleted'
  const { state } = object.status
  if (state === 'Shutdown') return 'Shutdown'
  return state === 'Unhealthy' ? 'Unhealthy' : undefined
}
