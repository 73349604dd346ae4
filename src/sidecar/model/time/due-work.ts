import { requestState } from '../calls/write-queue.js'
import { isBeingDeleted, withState } from '../state/game-server-edits.js'
import type { SidecarState, WriteKind } from '../state/sidecar-state.js'
import { record, update, updateFaults, updateProcess, writeObject } from '../state/step.js'
import type { Step } from '../state/step.js'
import { applyWrite } from './apply-write.js'
import { checkHealth } from './health.js'
import { endObject, followObject } from './platform.js'
import { replaceEnded } from './replacement.js'

const writeKinds: readonly WriteKind[] = ['state', 'labels', 'annotations', 'counters', 'lists']

/** What is done without an event. `at` is when it was due. */
type Work = (step: Step, at: number, now: number) => void

/** The next work that is done without an event, and its time; undefined if there is none. */
export function nextDueWork(state: SidecarState): { readonly work: Work; readonly at: number } | undefined {
  const { process, faults, apiServer, ending } = state
  const write = (kind: WriteKind): [Work, number | undefined] => [
    (step, at) => applyWrite(step, kind, at),
    process.due[kind],
  ]
  const needsApiServer: readonly (readonly [Work, number | undefined])[] = [
    [vanish, state.goneAt],
    [endObject, ending?.nextAt],
    [replaceEnded, ending?.replacesAt],
    ...writeKinds.map(write),
    [becomeReady, state.readyAt],
  ]
  const all: readonly (readonly [Work, number | undefined])[] = [
    ...(apiServer.away ? [] : needsApiServer),
    [bringApiServerBack, apiServer.until],
    [endReservation, process.reserveEnds],
    [checkHealth, process.health.nextCheck],
    [releaseWatchers, faults.stalledUntil],
    // Where nobody watches, there is nothing to cut.
    [dropAgain, state.watchers.length > 0 ? faults.drops?.next : undefined],
  ]
  let next: { work: Work; at: number } | undefined
  for (const [work, at] of all) {
    if (at !== undefined && (next === undefined || at < next.at)) next = { work, at }
  }
  return next
}

/** Does everything that is due by `now`, in order. */
export function doDueWork(step: Step, now: number): void {
  for (let next = nextDueWork(step.state); next && next.at <= now; next = nextDueWork(step.state)) {
    next.work(step, next.at, now)
    followObject(step, next.at)
  }
}

function vanish(step: Step): void {
  update(step, { gone: true, goneAt: undefined })
  step.effects.push({ type: 'change', change: { type: 'gone' } })
}

export function releaseWatchers(step: Step): void {
  updateFaults(step, { stalled: false, stalledUntil: undefined })
}

/** Turns RequestReady into Ready, as the platform's controller does. */
function becomeReady(step: Step): void {
  update(step, { readyAt: undefined })
  const { object, gone } = step.state
  if (object.status.state !== 'RequestReady' || isBeingDeleted(object) || gone) return
  writeObject(step, withState(object, 'Ready'))
}

/** The timer asks for Ready whatever the state is by then; in a pod only a final state ignores it. */
function endReservation(step: Step, at: number): void {
  updateProcess(step, { reserveEnds: undefined })
  const { config, object } = step.state
  if (config.mode === 'local') record(step, 'ready')
  else if (isBeingDeleted(object) || object.status.state === 'Unhealthy') return
  requestState(step, 'Ready', at)
}

/** Cuts every watch, and sets the next time. */
function dropAgain(step: Step, _at: number, now: number): void {
  const { drops } = step.state.faults
  if (drops === undefined) return
  skipMissedDrops(step, now)
  step.effects.push({ type: 'fault', rule: `dropWatchers cuts every watch every ${drops.everyMs} ms` })
  step.effects.push({ type: 'end-watchers', reason: 'dropped' })
  update(step, { watchers: [] })
}

/** Times that are over are not made up for: those that nothing ran the clock for, and those when nobody watched. */
export function skipMissedDrops(step: Step, now: number): void {
  const { drops } = step.state.faults
  if (drops === undefined || drops.next > now) return
  const missed = Math.floor((now - drops.next) / drops.everyMs)
  updateFaults(step, { drops: { ...drops, next: drops.next + (missed + 1) * drops.everyMs } })
}

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
