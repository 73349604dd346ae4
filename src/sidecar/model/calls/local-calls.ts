import type { GameServer, ListStatus } from '../../../protocol/game-server.js'
import type { Call } from '../state/sidecar-event.js'
import { addInt64, lessThan, reserveMilliseconds } from '../state/int64.js'
import { capacityRefusal, countRefusal, maskRefusal, maskIsValid } from './range-checks.js'
import { own, withKey } from '../state/records.js'
import {
  done,
  failUnknown,
  ok,
  prefixOf,
  record,
  recordValue,
  setObject,
  updateProcess,
  withMetadata,
  withState,
  writeObject,
} from '../state/step.js'
import type { Answer, Step } from '../state/step.js'

/**
 * A call as the real sidecar's local mode handles it: at once, without validation, on the one copy it has.
 */
export function localCall(step: Step, call: Call, now: number): Answer {
  const { object } = step.state
  switch (call.operation) {
    case 'ready':
      return localState(step, 'ready', 'Ready')
    case 'allocate':
      return localState(step, 'allocate', 'Allocated')
    case 'shutdown':
      return localState(step, 'shutdown', 'Shutdown')
    case 'health':
      record(step, 'health')
      return done
    case 'reserve':
      record(step, 'reserve')
      // A reservation for ever doesn't stop the timer of an earlier one.
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
      return counter ? ok({ name: call.key, ...counter }) : noCounter(call.key)
    }
    case 'updateCounter':
      return localUpdateCounter(step, call)
    case 'getList': {
      record(step, 'getlist')
      const list = own(object.status.lists, call.key)
      return list ? listAnswer(call.key, list) : noList(call.key)
    }
    case 'updateList':
      return localUpdateList(step, call)
    case 'addListValue':
      return localAddValue(step, call.key, call.value)
    case 'removeListValue':
      return localRemoveValue(step, call.key, call.value)
  }
}

/** Ready, Allocated or Shutdown, from any state; a reservation's timer ends with it. */
export function localState(step: Step, name: string, state: string): Answer {
  record(step, name)
  updateProcess(step, { reserveEnds: undefined })
  writeObject(step, withState(step.state.object, state))
  return done
}

function localUpdateCounter(step: Step, call: Call & { operation: 'updateCounter' }): Answer {
  const { object } = step.state
  const counter = own(object.status.counters, call.key)
  if (!counter) return noCounter(call.key)
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
  const counters = withKey(object.status.counters, call.key, { count, capacity })
  // Watchers of the local mode never hear of counters and lists.
  setObject(step, { ...object, status: { ...object.status, counters } })
  return ok({ name: call.key, count, capacity })
}

function localUpdateList(step: Step, call: Call & { operation: 'updateList' }): Answer {
  record(step, 'updatelist')
  if (!maskIsValid(call.mask)) return failUnknown(maskRefusal(call.mask))
  const { object, process } = step.state
  let limit = process.listLimit
  if (limit === '0') {
    const players = own(object.status.lists, 'players')
    if (!players) return failUnknown('no players for list')
    limit = players.capacity
    updateProcess(step, { listLimit: limit })
  }
  if (lessThan(call.capacity, '0') || lessThan(limit, call.capacity)) {
    return failUnknown(`out of range. Capacity must be within range [0,1000]. Found Capacity: ${call.capacity}`)
  }
  const list = own(object.status.lists, call.key)
  if (!list) return noList(call.key)
  const merged = mergeList(list, call)
  setList(step, object, call.key, merged)
  return listAnswer(call.key, merged)
}

/** What the mask names is replaced; without a mask, what the body gives is merged in. */
function mergeList(list: ListStatus, call: Call & { operation: 'updateList' }): ListStatus {
  const named = (field: string): boolean => call.mask.includes(field)
  const everything = call.mask.length === 0
  const capacity = named('capacity') || (everything && call.capacity !== '0') ? call.capacity : list.capacity
  const values = named('values')
    ? call.values
    : everything
      ? [...(list.values ?? []), ...call.values]
      : (list.values ?? [])
  const kept = lessThan(capacity, String(values.length)) ? values.slice(0, Number(capacity)) : values
  return { capacity, values: [...kept] }
}

function localAddValue(step: Step, key: string, value: string): Answer {
  record(step, 'addlistvalue')
  const { object } = step.state
  const list = own(object.status.lists, key)
  if (!list) return noList(key)
  const values = list.values ?? []
  if (!lessThan(String(values.length), list.capacity)) {
    return failUnknown(
      `out of range. No available capacity. Current Capacity: ${list.capacity}, List Size: ${values.length}`,
    )
  }
  if (values.includes(value)) return failUnknown(`already exists. Value: ${value} already in List: ${key}`)
  const next = { ...list, values: [...values, value] }
  setList(step, object, key, next)
  return listAnswer(key, next)
}

function localRemoveValue(step: Step, key: string, value: string): Answer {
  record(step, 'removelistvalue')
  const { object } = step.state
  const list = own(object.status.lists, key)
  if (!list) return noList(key)
  const values = list.values ?? []
  const at = values.indexOf(value)
  if (at < 0) return failUnknown(`not found. Value: ${value} not found in List: ${key}`)
  const next = { ...list, values: values.filter((_, i) => i !== at) }
  setList(step, object, key, next)
  return listAnswer(key, next)
}

function setList(step: Step, object: GameServer, key: string, list: ListStatus): void {
  setObject(step, { ...object, status: { ...object.status, lists: withKey(object.status.lists, key, list) } })
}

function listAnswer(name: string, list: ListStatus): Answer {
  return ok({ name, capacity: list.capacity, values: list.values ?? [] })
}

function noCounter(key: string): Answer {
  return failUnknown(`not found. ${key} Counter not found`)
}

function noList(key: string): Answer {
  return failUnknown(`not found. ${key} List not found`)
}
