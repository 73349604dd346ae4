import { requestUnhealthy } from '../calls/write-queue.js'
import { isFinal } from '../state/game-server-edits.js'
import { createHealth, healthSpecOf } from '../state/sidecar-state.js'
import { update, updateProcess, warn, type Step } from '../state/step.js'

/** Starts the health clock at a game's first call. In a pod, the kubelet's first probe starts it. */
export function startHealthClock(step: Step): void {
  const { config, object, gameCalled } = step.state
  if (gameCalled) return
  update(step, { gameCalled: true })
  updateProcess(step, { health: createHealth(config, object, step.now, true) })
}

/**
 * Moves the health clock along when the sidecar's clock is put forward by `ms`, since a game that beats can't beat in
 * the skipped time. A game that is silent already, or whose beats are ignored, is counted as before.
 */
export function forgiveSkippedTime(step: Step, ms: number): void {
  const { config, faults, process, object } = step.state
  const { health } = process
  const beats = health.beats > 0 && step.now - health.lastBeat <= healthSpecOf(object).periodSeconds * 1000
  if (config.sharesClock || faults.beatsToIgnore > 0 || !beats || health.nextCheck === undefined) return
  updateProcess(step, { health: { ...health, lastBeat: health.lastBeat + ms, nextCheck: health.nextCheck + ms } })
}

/**
 * Checks one period for a beat. Skips the checks that a sleeping machine missed: the real sidecar's clock sleeps with
 * the machine.
 */
export function checkHealth(step: Step, until: number): void {
  const { process, object } = step.state
  const { health } = process
  const { periodSeconds, failureThreshold } = healthSpecOf(object)
  const period = periodSeconds * 1000
  const time = step.now + Math.floor((until - step.now) / period) * period
  const silence = time - health.lastBeat
  const failed = silence >= period
  const failures = failed ? health.failures + 1 : health.failures
  updateProcess(step, { health: { ...health, failures, nextCheck: time + period } })
  if (isFinal(object)) return
  if (failed) {
    warn(
      step,
      'health-failure',
      `No health beat for ${Math.floor(silence / 1000)} s: failure ${failures} of ${failureThreshold}` +
        (failures < failureThreshold ? '.' : ', the GameServer becomes Unhealthy.'),
    )
  }
  if (failures >= failureThreshold) requestUnhealthy(step, time + step.state.config.writeDelay)
}
