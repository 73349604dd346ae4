import { initialGameServer } from '../model/state/initial-game-server.js'
import type { GameServerManifest } from '../model/state/manifest.js'
import { reloadedGameServer } from '../model/state/reloaded-game-server.js'
import { createHealth, createProcess } from '../model/state/sidecar-state.js'
import { update, updateProcess, writeObject } from '../model/state/step.js'
import type { Step } from '../model/state/step.js'

/**
 * Starts the process anew, without any memory. The object stays as it is in the cluster, unless it is gone or `fresh`
 * asks for a new one. Local mode has no cluster, so its object starts over too.
 */
export function restart(step: Step, fresh: boolean, now: number): void {
  const { state } = step
  const { config } = state
  const isReplaced = fresh || state.gone || config.mode === 'local'
  const object = isReplaced ? initialGameServer(config, now) : state.object
  const reservedUntil = isReplaced ? undefined : state.reservedUntil
  if (isReplaced) step.effects.push({ type: 'change', change: { type: 'replaced' } })
  update(step, {
    object,
    reservedUntil,
    gone: false,
    ...(isReplaced ? { goneAt: undefined, readyAt: undefined } : {}),
    restarts: state.restarts + 1,
    watchers: [],
    process: {
      ...createProcess(config, object, now),
      // The object carries the end of a reservation, so the new process goes on with it.
      reserveEnds: object.status.state === 'Reserved' ? reservedUntil : undefined,
    },
  })
}

/** Replaces the manifest, as when its file was saved. */
export function reload(step: Step, manifest: GameServerManifest, now: number): void {
  const { config, object, gone } = step.state
  const nextConfig = { ...config, gameServer: manifest }
  const next = gone ? initialGameServer(nextConfig, now) : reloadedGameServer(nextConfig, manifest, object, now)
  update(step, { config: nextConfig, gone: false })
  writeObject(step, next)
  if (gone || JSON.stringify(next.spec?.health) !== JSON.stringify(object.spec?.health)) {
    updateProcess(step, { health: createHealth(nextConfig, step.state.object, now) })
  }
}
