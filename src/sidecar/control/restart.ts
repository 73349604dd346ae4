import { initialGameServer } from '../model/state/initial-game-server.js'
import type { GameServerManifest } from '../model/state/manifest.js'
import { reloadedGameServer } from '../model/state/reloaded-game-server.js'
import { createHealth, createProcess } from '../model/state/sidecar-state.js'
import { update, updateProcess, writeObject } from '../model/state/step.js'
import type { Step } from '../model/state/step.js'
import { replace, startFresh } from '../model/time/replacement.js'

/**
 * Starts the process anew, without any memory. The object stays as it is in the cluster, unless it is gone or `fresh`
 * asks for a new one. Local mode has no cluster, so its object starts over too.
 */
export function restart(step: Step, fresh: boolean, now: number): void {
  const { config, gone, ending, restarts } = step.state
  update(step, { restarts: restarts + 1, watchers: [] })
  if (config.mode === 'local') startOver(step, now)
  else if (fresh || gone) startFresh(step, ending?.reason ?? 'restart', now)
  else startProcess(step, now)
}

/** The object of local mode is the process's own, so it starts over as the same one. */
function startOver(step: Step, now: number): void {
  const { config } = step.state
  const object = initialGameServer(config, now)
  const { name } = object.object_meta
  const change = { type: 'replaced', reason: 'restart', previous: step.state.object.object_meta.name, name } as const
  step.effects.push({ type: 'change', change })
  update(step, { object, reservedUntil: undefined, process: createProcess(config, object, now, false) })
}

function startProcess(step: Step, now: number): void {
  const { config, object, reservedUntil, gameCalled } = step.state
  update(step, {
    process: {
      // The kubelet probes a container that has started again at once, whether the game calls or not.
      ...createProcess(config, object, now, gameCalled),
      // The object carries the end of a reservation, so the new process goes on with it.
      reserveEnds: object.status.state === 'Reserved' ? reservedUntil : undefined,
    },
  })
}

/** Replaces the manifest, as when its file was saved. One that is gone doesn't come back: a fresh one takes its place. */
export function reload(step: Step, manifest: GameServerManifest, now: number): void {
  const { config, object, gone, ending, gameCalled } = step.state
  const nextConfig = { ...config, gameServer: manifest }
  update(step, { config: nextConfig })
  if (gone) return replace(step, ending?.reason ?? 'deleted', now)
  const next = reloadedGameServer(nextConfig, manifest, object, now)
  writeObject(step, next)
  if (JSON.stringify(next.spec?.health) !== JSON.stringify(object.spec?.health)) {
    updateProcess(step, { health: createHealth(nextConfig, step.state.object, now, gameCalled) })
  }
}
