import type { ListStatus } from '../../../protocol/game-server.js'
import { failUnknown, ok } from '../state/answer.js'
import type { Answer } from '../state/answer.js'
import { own, withKey } from '../state/records.js'
import { brief } from '../state/show.js'
import type { CallOf } from '../state/sidecar-event.js'
import type { PendingList, SidecarState } from '../state/sidecar-state.js'
import { record, updateProcess, warn } from '../state/step.js'
import type { Step } from '../state/step.js'
import { addValueRefusal, listCapacityRefusal, maskIsValid, maskRefusal } from './range-checks.js'
import { enqueue, refuseIfGone } from './write-queue.js'

/** The highest capacity of a list. */
const highestCapacity = '1000'
const nothing: PendingList = { remove: [], add: [] }

/** A list as the process shows it: the stored one with its pending changes. */
export function listView(state: SidecarState, name: string): Required<ListStatus> | undefined {
  const stored = own(state.object.status.lists, name)
  return stored && applyList(stored, own(state.process.lists, name))
}

/** A stored list with pending changes applied: first values are removed, then new ones are added, once each. */
export function applyList(stored: ListStatus, pending: PendingList | undefined): Required<ListStatus> {
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

/** The values of both, once each, up to so many. */
function union(values: readonly string[], more: readonly string[], most: number): string[] {
  const all = new Set(values)
  for (const value of more) {
    if (all.size >= most) break
    all.add(value)
  }
  return [...all]
}

export function addListValue(step: Step, key: string, value: string, now: number): Answer {
  record(step, 'addlistvalue')
  const list = listView(step.state, key)
  const gone = refuseIfGone(step.state)
  if (gone) return gone
  if (!list) return failUnknown(`list not found: ${key}`)
  const refusal = addValueRefusal(key, list, value)
  if (refusal !== undefined) return failUnknown(refusal)
  const pending = own(step.state.process.lists, key) ?? nothing
  setPending(step, key, { ...pending, add: [...pending.add, value] }, now)
  return answer(key, { ...list, values: [...(list.values ?? []), value] })
}

export function removeListValue(step: Step, key: string, value: string, now: number): Answer {
  record(step, 'removelistvalue')
  const list = listView(step.state, key)
  const gone = refuseIfGone(step.state)
  if (gone) return gone
  if (!list) return failUnknown(`list not found: ${key}`)
  const pending = own(step.state.process.lists, key) ?? nothing
  if (pending.add.includes(value)) {
    // The real answer still holds the value, too.
    setPending(step, key, { ...pending, add: pending.add.filter((other) => other !== value) }, now)
    return answer(key, list)
  }
  const values = list.values ?? []
  if (!values.includes(value)) return failUnknown(`not found: value ${brief(value)} not in list ${key}`)
  const remove = pending.remove.includes(value) ? pending.remove : [...pending.remove, value]
  setPending(step, key, { ...pending, remove }, now)
  return answer(key, { ...list, values: values.filter((other) => other !== value) })
}

/** The real sidecar refuses this call under the role of the platform's chart, which lacks `get`. Here it works, with a warning. */
export function updateList(step: Step, call: CallOf<'updateList'>, now: number): Answer {
  record(step, 'updatelist')
  if (!maskIsValid(call.mask)) return failUnknown(maskRefusal(call.mask))
  const { process, gone } = step.state
  const refusal = listCapacityRefusal(call.capacity, highestCapacity)
  if (refusal !== undefined) return failUnknown(refusal)
  const list = listView(step.state, call.key)
  if (!list || gone) return failUnknown(`not found. ${call.key} List not found`)
  warn(
    step,
    'update-list-refused',
    'Agones 1.55 and later refuse updateList under their usual cluster role. Use addListValue and removeListValue.',
  )
  setPending(step, call.key, replacement(list, call, own(process.lists, call.key) ?? nothing), now)
  return answer(call.key, listView(step.state, call.key) ?? list)
}

/** The pending changes that turn the list as it is shown into the one that was asked for, added to earlier ones. */
function replacement(list: ListStatus, call: CallOf<'updateList'>, before: PendingList): PendingList {
  const capacity = call.mask.includes('capacity') ? { capacity: call.capacity } : {}
  if (!call.mask.includes('values')) return { ...before, ...capacity }
  const shown = new Set(list.values ?? [])
  const kept = new Set<string>()
  const added = new Set<string>()
  for (const value of call.values) (shown.has(value) ? kept : added).add(value)
  const dropped = [...shown].filter((value) => !kept.has(value))
  return {
    ...before,
    ...capacity,
    remove: [...new Set([...before.remove, ...dropped])],
    add: [...before.add.filter((value) => kept.has(value) || added.has(value)), ...added],
  }
}

function setPending(step: Step, key: string, pending: PendingList, now: number): void {
  updateProcess(step, { lists: withKey(step.state.process.lists, key, pending) })
  enqueue(step, 'lists', now)
}

function answer(name: string, list: ListStatus): Answer {
  return ok({ name, capacity: list.capacity, values: list.values ?? [] })
}
