import type { GameServer, ListStatus } from '../../../protocol/game-server.js'
import { failUnknown, ok } from '../state/answer.js'
import type { Answer } from '../state/answer.js'
import { withList } from '../state/game-server-edits.js'
import { lessThan } from '../state/int64.js'
import { own } from '../state/records.js'
import { brief } from '../state/show.js'
import type { CallOf } from '../state/sidecar-event.js'
import { record, setObject, updateProcess } from '../state/step.js'
import type { Step } from '../state/step.js'
import { addValueRefusal, listCapacityRefusal, maskIsValid, maskRefusal } from './range-checks.js'

export function updateList(step: Step, call: CallOf<'updateList'>): Answer {
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
  const refusal = listCapacityRefusal(call.capacity, limit)
  if (refusal !== undefined) return failUnknown(refusal)
  const list = own(object.status.lists, call.key)
  if (!list) return noSuchList(call.key)
  const merged = mergeList(list, call)
  setList(step, object, call.key, merged)
  return listAnswer(call.key, merged)
}

/** Replaces the fields that the mask names; without a mask, merges in the fields of the body. */
function mergeList(list: ListStatus, call: CallOf<'updateList'>): ListStatus {
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

export function addListValue(step: Step, key: string, value: string): Answer {
  record(step, 'addlistvalue')
  const { object } = step.state
  const list = own(object.status.lists, key)
  if (!list) return noSuchList(key)
  const refusal = addValueRefusal(key, list, value)
  if (refusal !== undefined) return failUnknown(refusal)
  const next = { ...list, values: [...(list.values ?? []), value] }
  setList(step, object, key, next)
  return listAnswer(key, next)
}

export function removeListValue(step: Step, key: string, value: string): Answer {
  record(step, 'removelistvalue')
  const { object } = step.state
  const list = own(object.status.lists, key)
  if (!list) return noSuchList(key)
  const values = list.values ?? []
  const at = values.indexOf(value)
  if (at < 0) return failUnknown(`not found. Value: ${brief(value)} not found in List: ${key}`)
  const next = { ...list, values: values.filter((_, i) => i !== at) }
  setList(step, object, key, next)
  return listAnswer(key, next)
}

function setList(step: Step, object: GameServer, key: string, list: ListStatus): void {
  // Watchers of the local mode never see changes of counters and lists.
  setObject(step, withList(object, key, list))
}

export function listAnswer(name: string, list: ListStatus): Answer {
  return ok({ name, capacity: list.capacity, values: list.values ?? [] })
}

export function noSuchList(key: string): Answer {
  return failUnknown(`not found. ${key} List not found`)
}
