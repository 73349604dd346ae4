import type { WriteKind } from '../state/sidecar-state.js'
import { update } from '../state/step.js'
import type { Step } from '../state/step.js'
import { applyWrite } from './apply-write.js'

/** Takes the API server away, for a while or until it is told to come back. */
export function loseApiServer(step: Step, until: number | undefined): void {
  update(step, { apiServer: { away: true, until } })
}

/** Brings the API server back: the writes that waited for it land in the order in which they were due. */
export function bringApiServerBack(step: Step, now: number): void {
  const { apiServer, process } = step.state
  if (!apiServer.away) return
  update(step, { apiServer: { away: false, until: undefined } })
  const waiting = (Object.entries(process.due) as [WriteKind, number][]).filter(([, at]) => at <= now)
  for (const [kind] of waiting.sort(([, a], [, b]) => a - b)) applyWrite(step, kind, now)
  // The platform's controllers were cut off as well, and go on from now.
  const { goneAt, readyAt, ending } = step.state
  update(step, {
    goneAt: later(goneAt, now),
    readyAt: later(readyAt, now),
    ending: ending && { ...ending, nextAt: later(ending.nextAt, now), replacesAt: later(ending.replacesAt, now) },
  })
}

const later = (at: number | undefined, now: number): number | undefined =>
  at === undefined ? undefined : Math.max(at, now)
