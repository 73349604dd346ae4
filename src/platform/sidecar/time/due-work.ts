import { requestState } from '../calls/write-queue.js'
import { isBeingDeleted, isFinal, withState } from '../state/game-server-edits.js'
import type { SidecarState, WriteKind } from '../state/sidecar-state.js'
import { record, update, updateFaults, updateProcess, writeObject, type Step } from '../state/step.js'
import { applyWrite } from './apply-write.js'
import { checkHealth } from './health.js'
import { endObject, followObject, replace } from './ending.js'

const writeKinds: readonly WriteKind[] = ['state', 'labels', 'annotations', 'counters', 'lists']

/** Work that no event asks for. The step's time is when it was due; `until` is the present. */
type Work = (step: Step, until: number) => void

/** The next due work and its time; undefined if there is none. */
export function nextDueWork(state: SidecarState): { readonly work: Work; readonly at: number } | undefined {
  const { process, faults, apiServerBackAt, ending } = state
  const write = (kind: WriteKind): [Work, number | undefined] => [(step) => applyWrite(step, kind), process.due[kind]]
  const needsApiServer: readonly (readonly [Work, number | undefined])[] = [
    [vanish, state.goneAt],
    [endObject, ending?.nextAt],
    [replace, ending?.replacesAt],
    ...writeKinds.map(write),
    [becomeReady, state.readyAt],
  ]
  const all: readonly (readonly [Work, number | undefined])[] = [
    ...(apiServerBackAt === undefined ? needsApiServer : []),
    [bringApiServerBack, apiServerBackAt],
    [endReservation, process.reserveEnds],
    [checkHealth, process.health.nextCheck],
    [releaseWatchers, faults.stalledUntil],
    // Where nobody watches, there is nothing to cut.
    [dropAgain, state.watchers.length > 0 ? faults.drops?.next : undefined],
  ]
  let next: { work: Work; at: number } | undefined
  for (const [work, at = Infinity] of all) if (at < (next?.at ?? Infinity)) next = { work, at }
  return next
}

/** Does everything that is due by now, in order. */
export function doDueWork(step: Step): void {
  const until = step.now
  for (let next = nextDueWork(step.state); next && next.at <= until; next = nextDueWork(step.state)) {
    step.now = next.at
    next.work(step, until)
    followObject(step)
  }
  step.now = until
}

function vanish(step: Step): void {
  update(step, { gone: true, goneAt: undefined })
  step.effects.push({ type: 'change', change: { type: 'gone' } })
}

export function releaseWatchers(step: Step): void {
  updateFaults(step, { stalledUntil: undefined })
}

/** Turns RequestReady into Ready, as the platform's controller does. */
function becomeReady(step: Step): void {
  update(step, { readyAt: undefined })
  const { object, gone } = step.state
  if (object.status.state !== 'RequestReady' || isBeingDeleted(object) || gone) return
  writeObject(step, withState(object, 'Ready'))
}

/** The timer asks for Ready whatever the state is by then. In a pod, only a final state ignores it. */
function endReservation(step: Step): void {
  updateProcess(step, { reserveEnds: undefined })
  const { config, object } = step.state
  if (config.mode === 'local') record(step, 'ready')
  else if (isFinal(object)) return
  requestState(step, 'Ready')
}

/** Cuts every watch, and sets the next time. */
function dropAgain(step: Step, until: number): void {
  const { drops } = step.state.faults
  if (drops === undefined) return
  skipMissedDrops(step, until)
  step.effects.push({ type: 'fault', rule: `dropWatchers cuts every watch every ${drops.everyMs} ms` })
  step.effects.push({ type: 'end-watchers', reason: 'dropped' })
  update(step, { watchers: [] })
}

/** Skips cuts that were missed because the clock stood still or nobody watched. */
export function skipMissedDrops(step: Step, now: number): void {
  const { drops } = step.state.faults
  if (drops === undefined || drops.next > now) return
  const missed = Math.floor((now - drops.next) / drops.everyMs)
  updateFaults(step, { drops: { ...drops, next: drops.next + (missed + 1) * drops.everyMs } })
}

/** Brings the API server back: the writes that waited for it are applied in the order in which they were due. */
export function bringApiServerBack(step: Step): void {
  const { now } = step
  const { apiServerBackAt, process } = step.state
  if (apiServerBackAt === undefined) return
  update(step, { apiServerBackAt: undefined })
  const waiting = (Object.entries(process.due) as [WriteKind, number][]).filter(([, at]) => at <= now)
  for (const [kind] of waiting.sort(([, a], [, b]) => a - b)) applyWrite(step, kind)
  // The platform's controllers couldn't reach the API server either: their work resumes now.
  const { goneAt, readyAt, ending } = step.state
  update(step, {
    goneAt: later(goneAt, now),
    readyAt: later(readyAt, now),
    ending: ending && { ...ending, nextAt: later(ending.nextAt, now), replacesAt: later(ending.replacesAt, now) },
  })
}

const later = (at: number | undefined, now: number): number | undefined =>
  at === undefined ? undefined : Math.max(at, now)
