import { createHealth } from '../state/sidecar-state.js'
import { update, updateProcess } from '../state/step.js'
import type { Step } from '../state/step.js'

/** Starts the health clock with the first call of a game. In a pod, the kubelet's first probe starts it. */
export function startHealthClock(step: Step, now: number): void {
  const { config, object, gameCalled } = step.state
  if (gameCalled) return
  update(step, { gameCalled: true })
  updateProcess(step, { health: createHealth(config, object, now, true) })
}
