import type { GameServer } from '../../../protocol/game-server.js'
import type { SidecarConfig } from '../state/config.js'
import type { Change } from '../state/effect.js'
import { generatedName, uidOf } from '../state/generated-names.js'
import { initialGameServer } from '../state/initial-game-server.js'
import { createProcess } from '../state/sidecar-state.js'
import { nextVersion, update, type Step } from '../state/step.js'

type ReplacementReason = Extract<Change, { readonly type: 'replaced' }>['reason']

/** Replaces the ended GameServer when it is due. */
export function replaceEnded(step: Step, at: number): void {
  const { ending } = step.state
  if (ending !== undefined) replace(step, ending.reason, at)
}

/** Replaces the GameServer by a fresh one with its own sidecar, and cuts every connection. */
export function replace(step: Step, reason: ReplacementReason, at: number): void {
  startFresh(step, reason, at)
  update(step, { watchers: [] })
  step.effects.push({ type: 'disconnect', reason: 'replaced' })
}

/** Forgets the GameServer, and starts for a fresh one that no game has called yet. */
export function startFresh(step: Step, reason: ReplacementReason, at: number): void {
  const { config, object: previous } = step.state
  const replacements = step.state.replacements + 1
  const object = freshGameServer(config, previous, replacements, at)
  const names = { previous: previous.object_meta.name, name: object.object_meta.name }
  step.effects.push({ type: 'change', change: { type: 'replaced', reason, ...names } })
  update(step, {
    object,
    replacements,
    gameCalled: false,
    reservedUntil: undefined,
    gone: false,
    goneAt: undefined,
    readyAt: undefined,
    ending: undefined,
    process: createProcess(config, object, at, false),
  })
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
      creation_timestamp: String(Math.floor(now / 1000)),
      deletion_timestamp: '0',
    },
    status: { ...object.status, state: 'Scheduled' },
  }
}
