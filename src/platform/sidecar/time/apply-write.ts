import type { ListStatus } from '../../../protocol/game-server.js'
import { annotationLimit, metadataKey } from '../../../protocol/names.js'
import { byteLength } from '../calls/metadata-rules.js'
import { applyCounter } from '../calls/counters.js'
import { applyList } from '../calls/lists.js'
import { changeEach, isFinal, sorted, withLastAllocated, withMetadata, withState } from '../state/game-server-edits.js'
import type { PendingList, WriteKind } from '../state/sidecar-state.js'
import { prefixOf, update, updateProcess, warn, writeObject, type Step } from '../state/step.js'

/** Applies the queued write of one kind, as the real sidecar's worker does. */
export function applyWrite(step: Step, kind: WriteKind): void {
  const { [kind]: _, ...due } = step.state.process.due
  updateProcess(step, { due })
  if (step.state.gone) return
  if (kind === 'state') writeState(step)
  else if (kind === 'labels' || kind === 'annotations') writeMetadata(step, kind)
  else writeValues(step, kind)
}

function writeState(step: Step): void {
  const { process, object, config, reservedUntil } = step.state
  if (process.wantedState === '' || isFinal(object)) return
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
  const until = limited ? step.now + process.reserveFor : undefined
  let next = withState(object, process.wantedState)
  if (process.wantedState === 'Allocated') next = withLastAllocated(next, config.platform, step.now)
  update(step, { reservedUntil: until })
  writeObject(step, next, until !== reservedUntil)
  if (process.wantedState === 'RequestReady') update(step, { readyAt: step.now + config.controllerDelay })
  if (until !== undefined) updateProcess(step, { reserveEnds: until })
}

/** Writes labels or annotations without invalid keys and those over a cluster's limit. */
function writeMetadata(step: Step, kind: 'labels' | 'annotations'): void {
  const { process, object } = step.state
  const texts = new Map(Object.entries(object.object_meta[kind] ?? {}))
  let size = [...texts].reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0)
  for (const [key, value] of Object.entries(process[kind])) {
    if (!metadataKey.test(key)) continue
    const whole = prefixOf(step.state) + key
    const before = texts.get(whole)
    const added = byteLength(value) + (before === undefined ? byteLength(whole) : -byteLength(before))
    if (kind === 'annotations' && size + added > annotationLimit) {
      warn(
        step,
        'annotations-too-large',
        `The annotations are over ${annotationLimit} bytes in all: ` +
          'in production none is written any more until the sidecar restarts.',
      )
      continue
    }
    texts.set(whole, value)
    size += added
  }
  writeObject(step, withMetadata(object, kind, sorted([...texts])))
}

function writeValues(step: Step, kind: 'counters' | 'lists'): void {
  const { process, object } = step.state
  const { counters, lists } = object.status
  const written =
    kind === 'counters'
      ? { counters: changeEach(counters, process.counters, applyCounter) }
      : { lists: changeEach<ListStatus, PendingList>(lists, process.lists, applyList) }
  updateProcess(step, { [kind]: {} })
  writeObject(step, { ...object, status: { ...object.status, ...written } })
}
