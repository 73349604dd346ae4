import type { ListStatus } from '../../../protocol/game-server.js'
import { annotationLimit, metadataKey } from '../../../protocol/names.js'
import { byteLength } from '../calls/metadata-rules.js'
import { applyCounter } from '../calls/production-counters.js'
import { applyList } from '../calls/production-lists.js'
import { isBeingDeleted, withLastAllocated, withMetadata, withState } from '../state/game-server-edits.js'
import { sorted } from '../state/records.js'
import type { PendingList, WriteKind } from '../state/sidecar-state.js'
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
  if (process.undoesAllocation && object.status.state === 'Allocated') {
    warn(
      step,
      'ready-undoes-allocation',
      'A ready() from before the allocation is written only now and takes the GameServer back to Ready: ' +
        'the next match is sent to it while this one is on. ' +
        'Call ready() once when the game has started and once after each match, never while Ready and never in a loop.',
    )
  }
  updateProcess(step, { undoesAllocation: false })
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
  const { process, object } = step.state
  const labels = new Map(Object.entries(object.object_meta.labels ?? {}))
  for (const [key, value] of Object.entries(process.labels)) {
    if (metadataKey.test(key)) labels.set(prefixOf(step.state) + key, value)
  }
  writeObject(step, withMetadata(object, 'labels', sorted([...labels])))
}

function writeAnnotations(step: Step): void {
  const { process, object } = step.state
  const annotations = new Map(Object.entries(object.object_meta.annotations ?? {}))
  let size = [...annotations].reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0)
  for (const [key, value] of Object.entries(process.annotations)) {
    if (!metadataKey.test(key)) continue
    const whole = prefixOf(step.state) + key
    const before = annotations.get(whole)
    const added = byteLength(value) + (before === undefined ? byteLength(whole) : -byteLength(before))
    if (size + added > annotationLimit) {
      warn(
        step,
        'annotations-too-large',
        `The annotations are over ${annotationLimit} bytes in all: ` +
          'in production none is written any more until the sidecar restarts.',
      )
      continue
    }
    annotations.set(whole, value)
    size += added
  }
  writeObject(step, withMetadata(object, 'annotations', sorted([...annotations])))
}

function writeCounters(step: Step): void {
  const { process, object } = step.state
  const counters = applyAll(object.status.counters, process.counters, applyCounter)
  updateProcess(step, { counters: {} })
  writeObject(step, { ...object, status: { ...object.status, counters } })
}

function writeLists(step: Step): void {
  const { process, object } = step.state
  const lists = applyAll<ListStatus, PendingList>(object.status.lists, process.lists, applyList)
  updateProcess(step, { lists: {} })
  writeObject(step, { ...object, status: { ...object.status, lists } })
}

/** The stored values with their pending changes. All are copied once, not once for each change. */
function applyAll<Value, Pending>(
  stored: Readonly<Record<string, Value>> | null | undefined,
  pending: Readonly<Record<string, Pending>>,
  apply: (value: Value, change: Pending) => Value,
): Record<string, Value> {
  const values = new Map(Object.entries(stored ?? {}))
  for (const [name, change] of Object.entries(pending)) {
    const value = values.get(name)
    if (value !== undefined) values.set(name, apply(value, change))
  }
  return Object.fromEntries(values)
}
