import type { GameServer } from '../../../protocol/game-server.js'
import { CONTROLLER_MS, type SidecarConfig } from '../state/config.js'
import type { Change, EndReason } from '../state/events.js'
import { isMarked, withState } from '../state/game-server.js'
import { generatedName, initialGameServer, seconds, uidOf } from '../state/initial-game-server.js'
import { stateOfNew, type SidecarState } from '../state/sidecar-state.js'
import { nextVersion, update, writeObject, type Step } from '../state/step.js'

/** Schedules the platform's reaction to the GameServer's present state. */
export function followObject(step: Step): void {
  const { now } = step
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
  const nextAt = isMarked(object) || !isHandled ? undefined : (ending?.nextAt ?? now + CONTROLLER_MS)
  const replacesAt =
    ending?.replacesAt ??
    // A Fleet counts a deleted GameServer until its pod is gone.
    (config.replaceAfter === undefined ? undefined : Math.max(now + config.replaceAfter, goneAt ?? now))
  if (ending?.nextAt === nextAt && ending?.replacesAt === replacesAt && ending?.reason === reason) return
  update(step, { ending: { reason, nextAt, replacesAt } })
}

/** Why the GameServer has ended; undefined if it hasn't. Local mode has no platform that would end it. */
function endReason({ config, object, gone, goneAt }: SidecarState): EndReason | undefined {
  if (config.mode === 'local') return undefined
  if (gone || goneAt !== undefined) return 'deleted'
  return (['Shutdown', 'Unhealthy'] as const).find((state) => state === object.status.state)
}

/** Takes the platform's next step: from Unhealthy to Shutdown, and from Shutdown to the deletion timestamp. */
export function endObject(step: Step): void {
  const { ending, object } = step.state
  if (ending !== undefined) update(step, { ending: { ...ending, nextAt: undefined } })
  if (object.status.state === 'Shutdown') markDeleted(step)
  else writeObject(step, withState(object, 'Shutdown'))
}

/** Sets the deletion timestamp. */
export function markDeleted(step: Step): void {
  const { object } = step.state
  writeObject(step, { ...object, object_meta: { ...object.object_meta, deletion_timestamp: seconds(step.now) } }, true)
}

type ReplacementReason = Extract<Change, { readonly type: 'replaced' }>['reason']

/** Replaces the GameServer by a fresh one with its own sidecar, and cuts every connection. */
export function replace(step: Step): void {
  startFresh(step, step.state.ending?.reason ?? 'deleted')
  step.effects.push({ type: 'disconnect', reason: 'replaced' })
}

/** Forgets the GameServer, and starts for a fresh one. */
export function startFresh(step: Step, reason: ReplacementReason): void {
  const { config, object } = step.state
  const replacements = step.state.replacements + 1
  update(step, { replacements })
  begin(step, freshGameServer(config, object, replacements, step.now), reason)
}

/** Starts for a GameServer that takes the place of the present one. */
export function begin(step: Step, object: GameServer, reason: ReplacementReason): void {
  const names = { previous: step.state.object.object_meta.name, name: object.object_meta.name }
  step.effects.push({ type: 'change', change: { type: 'replaced', reason, ...names } })
  update(step, stateOfNew(step.state.config, object, step.now))
}

/**
 * The GameServer that a Fleet creates in place of another: from the same manifest, with its own name and uid. Both
 * derive from the time and the number of GameServers before, so that a replay makes the same ones.
 */
function freshGameServer(config: SidecarConfig, previous: GameServer, count: number, now: number): GameServer {
  const object = initialGameServer(config, now)
  const seed = `${previous.object_meta.uid} ${count} ${now}`
  return {
    ...object,
    object_meta: {
      ...object.object_meta,
      name: generatedName(object.object_meta.name, seed),
      uid: uidOf(seed),
      // A cluster counts versions across all its objects.
      resource_version: nextVersion(previous.object_meta.resource_version),
      generation: '1',
      creation_timestamp: seconds(now),
      deletion_timestamp: '0',
    },
    status: { ...object.status, state: 'Scheduled' },
  }
}
