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

/**
 * Takes the health clock along when the sidecar's clock is put forward by `ms`: a game whose last beat is within the period
 * can't beat in time that is skipped. A game that is silent already, or whose beats are ignored, is counted as before.
 */
export function forgiveSkippedTime(step: Step, ms: number, now: number): void {
  const { config, faults, process } = step.state
  const { health } = process
  const beats = health.beats > 0 && now - health.lastBeat <= health.period
  if (config.sharesClock || faults.ignoreBeats || !beats || health.nextCheck === undefined) return
  updateProcess(step, { health: { ...health, lastBeat: health.lastBeat + ms, nextCheck: health.nextCheck + ms } })
}
