import { done, failUnknown, ok } from '../state/answer.js'
import type { Answer } from '../state/answer.js'
import { withCounter, withMetadata, withState } from '../state/game-server-edits.js'
import { addInt64, lessThan, reserveMilliseconds } from '../state/int64.js'
import { own, withKey } from '../state/records.js'
import type { Call, CallOf } from '../state/sidecar-event.js'
import { prefixOf, record, recordValue, setObject, updateProcess, writeObject } from '../state/step.js'
import type { Step } from '../state/step.js'
import { addListValue, listAnswer, noSuchList, removeListValue, updateList } from './local-lists.js'
import { capacityRefusal, countRefusal } from './range-checks.js'

/** Handles a call as the real sidecar's local mode does: at once, without validation, on its only copy. */
export function localCall(step: Step, call: Call, now: number): Answer {
  const { object } = step.state
  switch (call.operation) {
    case 'ready':
      return setLocalState(step, 'ready', 'Ready')
    case 'allocate':
      return setLocalState(step, 'allocate', 'Allocated')
    case 'shutdown':
      return setLocalState(step, 'shutdown', 'Shutdown')
    case 'health':
      record(step, 'health')
      return done
    case 'reserve':
      record(step, 'reserve')
      // A reservation without an end doesn't stop the timer of an earlier one.
      if (lessThan('0', call.seconds)) {
        updateProcess(step, { reserveEnds: now + reserveMilliseconds(call.seconds) })
      }
      writeObject(step, withState(object, 'Reserved'))
      return done
    case 'setLabel': {
      const key = prefixOf(step.state) + call.key
      writeObject(step, withMetadata(object, 'labels', withKey(object.object_meta.labels, key, call.value)))
      recordValue(step, 'setlabel', call.value, object.object_meta.creation_timestamp)
      return done
    }
    case 'setAnnotation': {
      const key = prefixOf(step.state) + call.key
      writeObject(step, withMetadata(object, 'annotations', withKey(object.object_meta.annotations, key, call.value)))
      recordValue(step, 'setannotation', call.value, object.object_meta.uid)
      return done
    }
    case 'getGameServer':
      record(step, 'gameserver')
      return ok(object)
    case 'getCounter': {
      record(step, 'getcounter')
      const counter = own(object.status.counters, call.key)
      return counter ? ok({ name: call.key, ...counter }) : noSuchCounter(call.key)
    }
    case 'updateCounter':
      return updateCounter(step, call)
    case 'getList': {
      record(step, 'getlist')
      const list = own(object.status.lists, call.key)
      return list ? listAnswer(call.key, list) : noSuchList(call.key)
    }
    case 'updateList':
      return updateList(step, call)
    case 'addListValue':
      return addListValue(step, call.key, call.value)
    case 'removeListValue':
      return removeListValue(step, call.key, call.value)
  }
}

/** Sets Ready, Allocated or Shutdown from any state, and ends a reservation. */
export function setLocalState(step: Step, name: string, state: string): Answer {
  record(step, name)
  updateProcess(step, { reserveEnds: undefined })
  writeObject(step, withState(step.state.object, state))
  return done
}

function updateCounter(step: Step, call: CallOf<'updateCounter'>): Answer {
  const { object } = step.state
  const counter = own(object.status.counters, call.key)
  if (!counter) return noSuchCounter(call.key)
  let { count, capacity } = counter
  if (call.capacity !== undefined) {
    record(step, 'setcapacitycounter')
    capacity = call.capacity
    const refusal = capacityRefusal(capacity)
    if (refusal !== undefined) return failUnknown(refusal)
  }
  if (call.count !== undefined) {
    record(step, 'setcountcounter')
    count = call.count
    const refusal = countRefusal(count, capacity)
    if (refusal !== undefined) return failUnknown(refusal)
  }
  if (call.countDiff !== '0') {
    record(step, 'updatecounter')
    count = addInt64(count, call.countDiff)
    const refusal = countRefusal(count, capacity)
    if (refusal !== undefined) return failUnknown(refusal)
  }
  // Watchers of the local mode never see changes of counters and lists.
  setObject(step, withCounter(object, call.key, { count, capacity }))
  return ok({ name: call.key, count, capacity })
}

function noSuchCounter(key: string): Answer {
  return failUnknown(`not found. ${key} Counter not found`)
}
