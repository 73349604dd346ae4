import type { ListStatus } from '../../../protocol/game-server.js'
import { annotationLimit, metadataKey } from '../../../protocol/names.js'
import { byteLength } from '../calls/metadata-rules.js'
import { applyCounter } from '../calls/production-counters.js'
import { applyList } from '../calls/production-lists.js'
import { isBeingDeleted, withLastAllocated, withMetadata, withState } from '../state/game-server-edits.js'
import { own, withKey } from '../state/records.js'
import type { WriteKind } from '../state/sidecar-state.js'
import { prefixOf, update, updateProcess, warn, writeObject } from '../state/step.js'
import type { Step } from '../state/step.js'

/** Applies the queued writes of one kind to the object, as the real sidecar's worker does. */
export function applyWrite(step: Step, kind: WriteKind, at: number): void {
  const { [kind]: _, ...due } = step.state.process.due
  updateProcess(step, { due })
  if (step.state.gone) return
  switch (kind) {
    case 'state':
      return writeState(step, at)
    case 'labels':
      return writeLabels(step)
    case 'annotations':
      return writeAnnotations(step)
    case 'counters':
      return writeCounters(step)
    case 'lists':
      return writeLists(step)
  }
}

function writeState(step: Step, at: number): void {
  const { process, object, config, reservedUntil } = step.state
  if (process.wantedState === '' || isBeingDeleted(object) || object.status.state === 'Unhealthy') return
  const limited = process.wantedState === 'Reserved' && process.reserveFor !== undefined
  const until = limited ? at + process.reserveFor : undefined
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
