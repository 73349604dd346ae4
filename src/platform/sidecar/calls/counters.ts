import type { CounterStatus } from '../../../protocol/game-server.js'
import { failUnknown, ok, type Answer } from '../state/answer.js'
import { clampCounter, own, withCounter, withKey } from '../state/game-server.js'
import { addInt64, lessThan } from '../state/int64.js'
import type { CallOf } from '../state/events.js'
import type { PendingCounter } from '../state/sidecar-state.js'
import { record, setObject, updateProcess, type Step } from '../state/step.js'
import { enqueue, notFound } from './write-queue.js'

/** Applies pending changes to a stored counter, and clamps the count to 0 and the capacity. */
export function applyCounter(stored: CounterStatus, pending: PendingCounter | undefined): CounterStatus {
  if (!pending) return stored
  return clampCounter(uncut(stored, pending))
}

const uncut = (stored: CounterStatus, { count = stored.count, capacity = stored.capacity, diff }: PendingCounter) => ({
  count: addInt64(count, diff),
  capacity,
})

/** Answers with the stored counter and its pending changes. */
export function getCounter({ state }: Step, { key }: { readonly key: string }): Answer {
  const stored = state.gone ? undefined : own(state.object.status.counters, key)
  return stored ? ok({ name: key, ...applyCounter(stored, own(state.process.counters, key)) }) : notFound(state, key)
}

export function updateCounter(step: Step, call: CallOf<'updateCounter'>): Answer {
  const { key } = call
  const { object, process, config, gone } = step.state
  const isLocal = config.mode === 'local'
  if (!isLocal && call.capacity === undefined && call.count === undefined && call.countDiff === '0') {
    const name = key === '' ? '' : `name:${JSON.stringify(key)}`
    return failUnknown(`invalid argument. Malformed CounterUpdateRequest: ${name}`)
  }
  const stored = gone ? undefined : own(object.status.counters, key)
  if (!stored) return notFound(step.state, key)
  const pending = withUpdate(step, call, stored, own(process.counters, key) ?? { diff: '0' })
  if (typeof pending === 'string') return failUnknown(`out of range. ${pending}`)
  if (isLocal) {
    // The count may stay above a lower capacity. In local mode watchers never see changes of counters.
    const counter = uncut(stored, pending)
    setObject(step, withCounter(object, key, counter))
    return ok({ name: key, ...counter })
  }
  updateProcess(step, { counters: withKey(process.counters, key, pending) })
  enqueue(step, 'counters')
  return ok({ name: key, ...applyCounter(stored, pending) })
}

/** Adds a call's changes to the pending ones, or returns why they are out of range. The difference is added last. */
function withUpdate(
  step: Step,
  call: CallOf<'updateCounter'>,
  stored: CounterStatus,
  before: PendingCounter,
): PendingCounter | string {
  let pending = before
  const outOfRange = (): string | undefined => {
    const { count, capacity } = uncut(stored, pending)
    if (!lessThan(count, '0') && !lessThan(capacity, count)) return undefined
    return `Count must be within range [0,Capacity]. Found Count: ${count}, Capacity: ${capacity}`
  }
  if (call.capacity !== undefined) {
    record(step, 'setcapacitycounter')
    if (lessThan(call.capacity, '0')) {
      return `Capacity must be greater than or equal to 0. Found Capacity: ${call.capacity}`
    }
    pending = { ...pending, capacity: call.capacity }
  }
  if (call.count !== undefined) {
    record(step, 'setcountcounter')
    pending = { ...pending, count: call.count, diff: '0' }
    const reason = outOfRange()
    if (reason !== undefined) return reason
  }
  if (call.countDiff !== '0') {
    record(step, 'updatecounter')
    pending = { ...pending, diff: addInt64(pending.diff, call.countDiff) }
    const reason = outOfRange()
    if (reason !== undefined) return reason
  }
  return pending
}
