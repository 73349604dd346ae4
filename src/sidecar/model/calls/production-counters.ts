import type { CounterStatus } from '../../../protocol/game-server.js'
import { failUnknown, ok } from '../state/answer.js'
import type { Answer } from '../state/answer.js'
import { addInt64, lessThan } from '../state/int64.js'
import { own, withKey } from '../state/records.js'
import type { CallOf } from '../state/sidecar-event.js'
import type { PendingCounter, SidecarState } from '../state/sidecar-state.js'
import { record, updateProcess } from '../state/step.js'
import type { Step } from '../state/step.js'
import { capacityRefusal, countRefusal } from './range-checks.js'
import { enqueue, refuseIfGone } from './write-queue.js'

/** A counter as the process shows it: the stored one with its pending changes. */
export function counterView(state: SidecarState, name: string): CounterStatus | undefined {
  const stored = own(state.object.status.counters, name)
  return stored && applyCounter(stored, own(state.process.counters, name))
}

/** A stored counter with pending changes applied; the count is cut to what the capacity allows. */
export function applyCounter(stored: CounterStatus, pending: PendingCounter | undefined): CounterStatus {
  if (!pending) return stored
  const capacity = pending.capacity ?? stored.capacity
  let count = addInt64(pending.count ?? stored.count, pending.diff)
  if (lessThan(count, '0')) count = '0'
  if (lessThan(capacity, count)) count = capacity
  return { count, capacity }
}

export function updateCounter(step: Step, call: CallOf<'updateCounter'>, now: number): Answer {
  const { key } = call
  if (call.capacity === undefined && call.count === undefined && call.countDiff === '0') {
    const name = key === '' ? '' : `name:${JSON.stringify(key)}`
    return failUnknown(`invalid argument. Malformed CounterUpdateRequest: ${name}`)
  }
  const gone = refuseIfGone(step.state)
  if (gone) return gone
  const { object, process } = step.state
  const stored = own(object.status.counters, key)
  if (!stored) return failUnknown(`counter not found: ${key}`)
  const batch = own(process.counters, key) ?? { diff: '0' }
  let { diff } = batch
  let { capacity = stored.capacity, count = stored.count } = batch
  let set: Omit<PendingCounter, 'diff'> = batch

  if (call.capacity !== undefined) {
    record(step, 'setcapacitycounter')
    const refusal = capacityRefusal(call.capacity)
    if (refusal !== undefined) return failUnknown(refusal)
    capacity = call.capacity
    set = { ...set, capacity }
  }
  if (call.count !== undefined) {
    record(step, 'setcountcounter')
    const refusal = countRefusal(call.count, capacity)
    if (refusal !== undefined) return failUnknown(refusal)
    count = call.count
    diff = '0'
    set = { ...set, count }
  }
  if (call.countDiff !== '0') {
    record(step, 'updatecounter')
    const refusal = countRefusal(addInt64(count, addInt64(diff, call.countDiff)), capacity)
    if (refusal !== undefined) return failUnknown(refusal)
    diff = addInt64(diff, call.countDiff)
  }
  const pending: PendingCounter = { ...set, diff }
  updateProcess(step, { counters: withKey(process.counters, key, pending) })
  enqueue(step, 'counters', now)
  return ok({ name: key, ...applyCounter(stored, pending) })
}
