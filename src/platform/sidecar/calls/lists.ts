import type { ListStatus } from '../../../protocol/game-server.js'
import { highestCapacity } from '../../../protocol/names.js'
import { failUnknown, ok, type Answer } from '../state/answer.js'
import { own, withKey, withList } from '../state/game-server.js'
import { lessThan } from '../state/int64.js'
import { brief } from '../state/show.js'
import type { Call, CallOf } from '../state/events.js'
import type { PendingList, SidecarState } from '../state/sidecar-state.js'
import { setObject, updateProcess, warn, type Step } from '../state/step.js'
import { enqueue, notFound } from './write-queue.js'

type List = Required<ListStatus> & { readonly values: readonly string[] }
type UpdateList = CallOf<'updateList'>
type ValueCall = Extract<Call, { readonly value: string; readonly operation: 'addListValue' | 'removeListValue' }>

const nothing: PendingList = { remove: [], add: [] }

/** The real sidecar's description of a list, which it adds to the refusal of an unknown field. */
const listFields =
  'Fields{' +
  '{Name: name, Number: 1, Cardinality: optional, Kind: string, HasJSONName: true, JSONName: "name"}, ' +
  '{Name: capacity, Number: 2, Cardinality: optional, Kind: int64, HasJSONName: true, JSONName: "capacity"}, ' +
  '{Name: values, Number: 3, Cardinality: repeated, Kind: string, HasJSONName: true, JSONName: "values", IsList: true}}'

/** A list as the process shows it: the stored list with its pending changes. Local mode has no pending changes. */
function listView({ object, process, gone }: SidecarState, name: string): List | undefined {
  const stored = gone ? undefined : own(object.status.lists, name)
  return stored && applyList(stored, own(process.lists, name))
}

/** Applies pending changes to a stored list: removes values, then adds new ones, once each. */
export function applyList(stored: ListStatus, pending: PendingList | undefined): List {
  let values = stored.values ?? []
  if (!pending) return { capacity: stored.capacity, values }
  const capacity = pending.capacity ?? stored.capacity
  if (pending.remove.length > 0) {
    const removed = new Set(pending.remove)
    values = values.filter((value) => !removed.has(value))
  }
  const room = Number(capacity)
  if (pending.add.length > 0) values = union(values, pending.add, room)
  return { capacity, values: values.length > room ? values.slice(0, room) : values }
}

/** The values of both without duplicates, at most `most`. */
function union(values: readonly string[], more: readonly string[], most: number): string[] {
  const all = new Set(values)
  for (const value of more) {
    if (all.size >= most) break
    all.add(value)
  }
  return [...all]
}

export function getList({ state }: Step, { key }: { readonly key: string }): Answer {
  const list = listView(state, key)
  return list ? ok({ name: key, ...list }) : notFound(state, key, 'List')
}

export function addListValue(step: Step, { key, value }: ValueCall): Answer {
  const list = listView(step.state, key)
  if (!list) return notFound(step.state, key, 'List')
  const { capacity, values } = list
  if (!lessThan(String(values.length), capacity)) {
    return failUnknown(
      `out of range. No available capacity. Current Capacity: ${capacity}, List Size: ${values.length}`,
    )
  }
  if (values.includes(value)) {
    return failUnknown(`already exists. Value: ${brief(value)} already in List: ${key}`)
  }
  const next = { capacity, values: [...values, value] }
  return change(step, key, next, (before) => ({ ...before, add: [...before.add, value] }))
}

export function removeListValue(step: Step, { key, value }: ValueCall): Answer {
  const list = listView(step.state, key)
  if (!list) return notFound(step.state, key, 'List')
  const { config, process } = step.state
  const isLocal = config.mode === 'local'
  if (own(process.lists, key)?.add.includes(value) === true) {
    // The real answer still holds the value, too.
    const isOther = (added: string): boolean => added !== value
    return change(step, key, list, (before) => ({ ...before, add: before.add.filter(isOther) }))
  }
  const at = list.values.indexOf(value)
  if (at < 0) {
    const shown = brief(value)
    return failUnknown(
      isLocal ? `not found. Value: ${shown} not found in List: ${key}` : `not found: value ${shown} not in list ${key}`,
    )
  }
  const values = list.values.filter((other, i) => (isLocal ? i !== at : other !== value))
  const remove = (before: PendingList): string[] => [...new Set([...before.remove, value])]
  return change(step, key, { ...list, values }, (before) => ({ ...before, remove: remove(before) }))
}

/** In a cluster the call is refused, since the platform's role lacks `get`. Here it works, with a warning. */
export function updateList(step: Step, call: UpdateList): Answer {
  const { key, mask, capacity } = call
  // An empty mask is valid, an empty path isn't.
  if (!mask.every((path) => path === 'name' || path === 'capacity' || path === 'values')) {
    const paths = brief(mask.join(' '))
    return failUnknown(
      `invalid argument. Field Mask Path(s): [${paths}] are invalid for List. Use valid field name(s): ${listFields}`,
    )
  }
  const isLocal = step.state.config.mode === 'local'
  const limit = isLocal ? learnLimit(step) : String(highestCapacity)
  if (limit === undefined) return failUnknown('no players for list')
  if (lessThan(capacity, '0') || lessThan(limit, capacity)) {
    // The message names 1000 whatever the limit is.
    return failUnknown(`out of range. Capacity must be within range [0,1000]. Found Capacity: ${capacity}`)
  }
  const list = listView(step.state, key)
  if (!list) return failUnknown(`not found. ${key} List not found`)
  if (isLocal) return change(step, key, merged(list, call), (before) => before)
  warn(
    step,
    'update-list-refused',
    'Agones 1.55 and later refuse updateList under their usual cluster role. Use addListValue and removeListValue.',
  )
  change(step, key, list, (before) => replacement(list, call, before))
  return getList(step, call)
}

/** The highest capacity that local mode allows. Local mode reads the limit once, from the list `players`. */
function learnLimit(step: Step): string | undefined {
  const { object, process } = step.state
  if (process.listLimit !== '0') return process.listLimit
  const listLimit = own(object.status.lists, 'players')?.capacity
  if (listLimit !== undefined) updateProcess(step, { listLimit })
  return listLimit
}

/** Replaces the fields that the mask names; without a mask, merges in the fields of the body. */
function merged(list: List, call: UpdateList): List {
  const named = (field: string): boolean => call.mask.includes(field)
  const everything = call.mask.length === 0
  const capacity = named('capacity') || (everything && call.capacity !== '0') ? call.capacity : list.capacity
  const kept = named('values') ? [] : list.values
  const values = named('values') || everything ? [...kept, ...call.values] : kept
  return { capacity, values: lessThan(capacity, String(values.length)) ? values.slice(0, Number(capacity)) : values }
}

/** Adds to pending changes those that turn the shown list into the requested one. */
function replacement(list: List, call: UpdateList, before: PendingList): PendingList {
  const capacity = call.mask.includes('capacity') ? { capacity: call.capacity } : {}
  if (!call.mask.includes('values')) return { ...before, ...capacity }
  const shown = new Set(list.values)
  const wanted = new Set(call.values)
  const dropped = [...shown].filter((value) => !wanted.has(value))
  const added = [...wanted].filter((value) => !shown.has(value))
  return {
    ...before,
    ...capacity,
    remove: [...new Set([...before.remove, ...dropped])],
    add: [...before.add.filter((value) => wanted.has(value)), ...added],
  }
}

/** Local mode writes the list at once, and its watchers never see it. A pod queues the pending changes. */
function change(step: Step, key: string, list: List, pending: (before: PendingList) => PendingList): Answer {
  const { object, process, config } = step.state
  if (config.mode === 'local') {
    setObject(step, withList(object, key, list))
  } else {
    updateProcess(step, { lists: withKey(process.lists, key, pending(own(process.lists, key) ?? nothing)) })
    enqueue(step, 'lists')
  }
  return ok({ name: key, ...list })
}
