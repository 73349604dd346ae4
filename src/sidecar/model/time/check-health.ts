import { requestUnhealthy } from '../calls/write-queue.js'
import { isBeingDeleted } from '../state/game-server-edits.js'
import { updateProcess, warn } from '../state/step.js'
import type { Step } from '../state/step.js'

/**
 * Checks one period for a beat. Checks that were missed because nothing ran the clock (a machine that slept) are not
 * made up for: the real sidecar's clock sleeps with the machine.
 */
export function checkHealth(step: Step, at: number, now: number): void {
  const { process, object } = step.state
  const { health } = process
  const missed = Math.floor((now - at) / health.period)
  const time = at + missed * health.period
  const silence = time - health.lastBeat
  const failed = silence >= health.period
  const failures = failed ? health.failures + 1 : health.failures
  updateProcess(step, { health: { ...health, failures, nextCheck: time + health.period } })
  const isOver = object.status.state === 'Unhealthy' || isBeingDeleted(object)
  if (isOver) return
  if (failed) {
    warn(
      step,
      'health-failure',
      `No health beat for ${Math.floor(silence / 1000)} s: failure ${failures} of ${health.threshold}` +
        (failures < health.threshold ? '.' : ', the GameServer becomes Unhealthy.'),
    )
  }
  if (failures >= health.threshold) requestUnhealthy(step, time)
}
