import { setLocalState } from '../calls/local-calls.js'
import { requestState } from '../calls/write-queue.js'
import { isBeingDeleted, withState } from '../state/game-server-edits.js'
import type { SidecarState, WriteKind } from '../state/sidecar-state.js'
import { update, updateFaults, updateProcess, writeObject } from '../state/step.js'
import type { Step } from '../state/step.js'
import { bringApiServerBack } from './api-server.js'
import { applyWrite } from './apply-write.js'
import { checkHealth } from './health.js'
import { endObject, followObject } from './platform.js'
import { replaceEnded } from './replacement.js'

/** Work that needs the API server. */
type ClusterWork = WriteKind | 'controller' | 'gone' | 'platform' | 'replacement'
type Work = ClusterWork | 'reservation' | 'health' | 'release' | 'api-server' | 'drop'

/** The next work that is done without an event, and its time; undefined if there is none. */
export function nextDueWork(state: SidecarState): { readonly work: Work; readonly at: number } | undefined {
  const { process, faults, apiServer, ending } = state
  const clusterTimes: readonly (readonly [ClusterWork, number | undefined])[] = [
    ['gone', state.goneAt],
    ['platform', ending?.nextAt],
    ['replacement', ending?.replacesAt],
    ['state', process.due.state],
    ['labels', process.due.labels],
    ['annotations', process.due.annotations],
    ['counters', process.due.counters],
    ['lists', process.due.lists],
    ['controller', state.readyAt],
  ]
  const times: readonly (readonly [Work, number | undefined])[] = [
    ...(apiServer.away ? [] : clusterTimes),
    ['api-server', apiServer.until],
    ['reservation', process.reserveEnds],
    ['health', process.health.nextCheck],
    ['release', faults.stalledUntil],
    // Where nobody watches, there is nothing to cut.
    ['drop', state.watchers.length > 0 ? faults.drops?.next : undefined],
  ]
  let next: { work: Work; at: number } | undefined
  for (const [work, at] of times) {
    if (at !== undefined && (next === undefined || at < next.at)) next = { work, at }
  }
  return next
}

/** Does everything that is due by `now`, in order. */
export function doDueWork(step: Step, now: number): void {
  for (let next = nextDueWork(step.state); next && next.at <= now; next = nextDueWork(step.state)) {
    perform(step, next.work, next.at, now)
    followObject(step, next.at)
  }
}

function perform(step: Step, work: Work, at: number, now: number): void {
  switch (work) {
    case 'state':
    case 'labels':
    case 'annotations':
    case 'counters':
    case 'lists':
      return applyWrite(step, work, at)
    case 'controller':
      return becomeReady(step)
    case 'reservation':
      return endReservation(step, at)
    case 'health':
      return checkHealth(step, at, now)
    case 'gone':
      update(step, { gone: true, goneAt: undefined })
      step.effects.push({ type: 'change', change: { type: 'gone' } })
      return
    case 'platform':
      return endObject(step, at)
    case 'replacement':
      return replaceEnded(step, at)
    case 'api-server':
      return bringApiServerBack(step, at)
    case 'release':
      updateFaults(step, { stalled: false, stalledUntil: undefined })
      return
    case 'drop':
      dropAgain(step, now)
  }
}

/** Turns RequestReady into Ready, as the platform's controller does. */
function becomeReady(step: Step): void {
  update(step, { readyAt: undefined })
  const { object, gone } = step.state
  if (object.status.state !== 'RequestReady' || isBeingDeleted(object) || gone) return
  writeObject(step, withState(object, 'Ready'))
}

function endReservation(step: Step, at: number): void {
  updateProcess(step, { reserveEnds: undefined })
  const { config, object } = step.state
  if (config.mode === 'local') {
    setLocalState(step, 'ready', 'Ready')
    return
  }
  // The timer asks for Ready whatever the state is by then; only a final state ignores it.
  if (!isBeingDeleted(object) && object.status.state !== 'Unhealthy') requestState(step, 'RequestReady', undefined, at)
}

/** Cuts every watch, and sets the next time. */
function dropAgain(step: Step, now: number): void {
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
