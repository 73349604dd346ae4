import type { ListStatus } from '../../../protocol/game-server.js'
import { annotationLimit, metadataKey } from '../../../protocol/names.js'
import { localState } from '../calls/local-calls.js'
import { byteLength } from '../calls/metadata-rules.js'
import { askForState, askForUnhealthy } from '../calls/write-queue.js'
import { applyCounter } from '../calls/production-counters.js'
import { applyList } from '../calls/production-lists.js'
import { own, withKey } from '../state/records.js'
import type { SidecarState, WriteKind } from '../state/sidecar-state.js'
import {
  isBeingDeleted,
  prefixOf,
  update,
  updateProcess,
  warn,
  withLastAllocated,
  withMetadata,
  withState,
  writeObject,
} from '../state/step.js'
import type { Step } from '../state/step.js'

type Deed = WriteKind | 'controller' | 'reservation' | 'health' | 'gone' | 'release'

/** The next thing that will happen by itself, undefined where nothing will. */
export function nextDeed(state: SidecarState): { readonly deed: Deed; readonly at: number } | undefined {
  const { process, faults } = state
  const times: [Deed, number | undefined][] = [
    ['gone', state.goneAt],
    ['state', process.due.state],
    ['labels', process.due.labels],
    ['annotations', process.due.annotations],
    ['counters', process.due.counters],
    ['lists', process.due.lists],
    ['controller', state.readyAt],
    ['reservation', process.reserveEnds],
    ['health', process.health.nextCheck],
    ['release', faults.stalledUntil],
  ]
  let next: { deed: Deed; at: number } | undefined
  for (const [deed, at] of times) {
    if (at !== undefined && (next === undefined || at < next.at)) next = { deed, at }
  }
  return next
}

/** Lets happen, in order, whatever is due until `now`. */
export function passTime(step: Step, now: number): void {
  for (let next = nextDeed(step.state); next && next.at <= now; next = nextDeed(step.state)) {
    perform(step, next.deed, next.at, now)
  }
}

function perform(step: Step, deed: Deed, at: number, now: number): void {
  switch (deed) {
    case 'state':
      return writeDue(step, 'state', at)
    case 'labels':
      return writeDue(step, 'labels', at)
    case 'annotations':
      return writeDue(step, 'annotations', at)
    case 'counters':
      return writeDue(step, 'counters', at)
    case 'lists':
      return writeDue(step, 'lists', at)
    case 'controller':
      update(step, { readyAt: undefined })
      if (step.state.object.status.state === 'RequestReady' && !isBeingDeleted(step.state.object) && !step.state.gone) {
        writeObject(step, withState(step.state.object, 'Ready'))
      }
      return
    case 'reservation':
      updateProcess(step, { reserveEnds: undefined })
      if (step.state.config.mode === 'local') localState(step, 'ready', 'Ready')
      else endReservation(step, at)
      return
    case 'health':
      return checkHealth(step, at, now)
    case 'gone':
      update(step, { gone: true, goneAt: undefined })
      step.effects.push({ type: 'change', change: { type: 'gone' } })
      return
    case 'release':
      update(step, { faults: { ...step.state.faults, stalled: false, stalledUntil: undefined } })
  }
}

function endReservation(step: Step, at: number): void {
  const { object } = step.state
  // The timer says ready whatever the state is by then; only a state that is final ignores it.
  if (!isBeingDeleted(object) && object.status.state !== 'Unhealthy') askForState(step, 'RequestReady', undefined, at)
}

function writeDue(step: Step, kind: WriteKind, at: number): void {
  const { [kind]: _, ...due } = step.state.process.due
  updateProcess(step, { due })
  if (step.state.gone) return
  if (kind === 'state') writeState(step, at)
  else if (kind === 'labels') writeLabels(step)
  else if (kind === 'annotations') writeAnnotations(step)
  else if (kind === 'counters') writeCounters(step)
  else writeLists(step)
}

function writeState(step: Step, at: number): void {
  const { process, object, config, reservedUntil } = step.state
  if (process.wantedState === '' || isBeingDeleted(object) || object.status.state === 'Unhealthy') return
  const reserved = process.wantedState === 'Reserved' && process.reserveFor !== undefined
  const until = reserved ? at + process.reserveFor! : undefined
  let next = withState(object, process.wantedState)
  if (process.wantedState === 'Allocated') next = withLastAllocated(next, config.platform, at)
  update(step, { reservedUntil: until })
  writeObject(step, next, until !== reservedUntil)
  if (process.wantedState === 'RequestReady') update(step, { readyAt: at + config.controllerDelay })
  if (until !== undefined) updateProcess(step, { reserveEnds: until })
}

function writeLabels(step: Step): void {
  const { process, object, config } = step.state
  let labels = { ...object.object_meta.labels }
  for (const [key, value] of Object.entries(process.labels)) {
    if (metadataKey.test(key)) labels = withKey(labels, prefixOf(step.state) + key, value)
    else if (config.quirks) return
  }
  writeObject(step, withMetadata(object, 'labels', labels))
}

function writeAnnotations(step: Step): void {
  const { process, object, config } = step.state
  let annotations = { ...object.object_meta.annotations }
  for (const [key, value] of Object.entries(process.annotations)) {
    if (!metadataKey.test(key)) {
      if (config.quirks) return
      continue
    }
    const more = withKey(annotations, prefixOf(step.state) + key, value)
    if (sizeOf(more) > annotationLimit) {
      warn(
        step,
        'annotations-too-large',
        `The annotations are over ${annotationLimit} bytes in all: ` +
          'in production none is written any more until the sidecar restarts.',
      )
      if (config.quirks) return
      continue
    }
    annotations = more
  }
  writeObject(step, withMetadata(object, 'annotations', annotations))
}

function sizeOf(annotations: Readonly<Record<string, string>>): number {
  return Object.entries(annotations).reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0)
}

function writeCounters(step: Step): void {
  const { process, object } = step.state
  let counters = object.status.counters ?? {}
  for (const [name, pending] of Object.entries(process.counters)) {
    const stored = own(counters, name)
    if (stored) counters = withKey(counters, name, applyCounter(stored, pending))
  }
  updateProcess(step, { counters: {} })
  writeObject(step, { ...object, status: { ...object.status, counters } })
}

function writeLists(step: Step): void {
  const { process, object } = step.state
  let lists: Record<string, ListStatus> = object.status.lists ?? {}
  for (const [name, pending] of Object.entries(process.lists)) {
    const stored = own(lists, name)
    if (stored) lists = withKey<ListStatus>(lists, name, applyList(stored, pending))
  }
  updateProcess(step, { lists: {} })
  writeObject(step, { ...object, status: { ...object.status, lists } })
}

/**
 * One check of a period. Checks that were missed because nobody ran the clock (a machine that slept) are
 * not made
 * up for: the real sidecar's clock sleeps with the machine.
 */
function checkHealth(step: Step, at: number, now: number): void {
  const { process, object } = step.state
  const { health } = process
  const missed = Math.floor((now - at) / health.period)
  const time = at + missed * health.period
  const failed = time - health.lastBeat >= health.period
  const failures = failed ? health.failures + 1 : health.failures
  updateProcess(step, { health: { ...health, failures, nextCheck: time + health.period } })
  const over = object.status.state === 'Unhealthy' || isBeingDeleted(object)
  if (failed && !over) {
    warn(
      step,
      'health-failure',
      `No health beat for ${Math.floor((time - health.lastBeat) / 1000)} s: failure ${failures} of ${health.threshold}` +
        (failures < health.threshold ? '.' : ', the GameServer becomes Unhealthy.'),
    )
  }
  if (failures >= health.threshold && !over) askForUnhealthy(step, time)
}
