import type { ListStatus } from '../../../protocol/game-server.js'
import type { Call } from '../state/sidecar-event.js'
import { lessThan } from '../state/int64.js'
import { maskIsValid, maskRefusal } from './range-checks.js'
import { enqueue, readable } from './write-queue.js'
import { own, withKey } from '../state/records.js'
import type { PendingList, SidecarState } from '../state/sidecar-state.js'
import { failUnknown, ok, record, updateProcess, warn } from '../state/step.js'
import type { Answer, Step } from '../state/step.js'

/** The highest capacity of a list that the message about it names. */
const highestCapacity = '1000'
const nothing: PendingList = { remove: [], add: [] }

/** A list as the process shows it: what is written, and on top of it what waits. */
export function listView(state: SidecarState, name: string): Required<ListStatus> | undefined {
  const stored = own(state.object.status.lists, name)
  return stored && applyList(stored, own(state.process.lists, name))
}

/**
 * A stored list with pending changes applied: what is removed goes first, new values come last, once each.
 */
export function applyList(stored: ListStatus, pending: PendingList | undefined): Required<ListStatus> {
  let values = stored.values ?? []
  if (!pending) return { capacity: stored.capacity, values }
  const capacity = pending.capacity ?? stored.capacity
  if (pending.remove.length > 0) {
    const removed = new Set(pending.remove)
    values = values.filter((value) => !removed.has(value))
  }
  if (pending.add.length > 0) values = [...new Set([...values, ...pending.add])]
  if (lessThan(capacity, String(values.length))) values = values.slice(0, Number(capacity))
  return { capacity, values }
}

export function addListValue(step: Step, key: string, value: string, now: number): Answer {
  record(step, 'addlistvalue')
  const list = listView(step.state, key)
  const gone = readable(step)
  if (gone) return gone
  if (!list) return failUnknown(`list not found: ${key}`)
  const values = list.values ?? []
  if (!lessThan(String(values.length), list.capacity)) {
    return failUnknown(
      `out of range. No available capacity. Current Capacity: ${list.capacity}, List Size: ${values.length}`,
    )
  }
  if (values.includes(value)) return failUnknown(`already exists. Value: ${value} already in List: ${key}`)
  const pending = own(step.state.process.lists, key) ?? nothing
  setPending(step, key, { ...pending, add: [...pending.add, value] }, now)
  return answer(key, { ...list, values: [...values, value] })
}

export function removeListValue(step: Step, key: string, value: string, now: number): Answer {
  record(step, 'removelistvalue')
  const list = listView(step.state, key)
  const gone = readable(step)
  if (gone) return gone
  if (!list) return failUnknown(`list not found: ${key}`)
  const pending = own(step.state.process.lists, key) ?? nothing
  if (pending.add.includes(value)) {
    // The answer to this still holds the value.
    setPending(step, key, { ...pending, add: pending.add.filter((other) => other !== value) }, now)
    return answer(key, list)
  }
  const values = list.values ?? []
  if (!values.includes(value)) return failUnknown(`not found: value ${value} not in list ${key}`)
  const remove = pending.remove.includes(value) ? pending.remove : [...pending.remove, value]
  setPending(step, key, { ...pending, remove }, now)
  return answer(key, { ...list, values: values.filter((other) => other !== value) })
}

/**
 * The call that the real sidecar gets wrong in most ways. By default it does here what it is meant to do
 * and warns
 * of what it does in production; with `quirks` it does just that.
 */
export function updateList(step: Step, call: Call & { operation: 'updateList' }, now: number): Answer {
  record(step, 'updatelist')
  if (!maskIsValid(call.mask)) return failUnknown(maskRefusal(call.mask))
  const { quirks } = step.state.config
  const limit = quirks ? learnLimit(step) : highestCapacity
  if (lessThan(call.capacity, '0') || lessThan(limit, call.capacity)) {
    return failUnknown(`out of range. Capacity must be within range [0,1000]. Found Capacity: ${call.capacity}`)
  }
  const list = listView(step.state, call.key)
  if (!list || step.state.gone) {
    if (quirks) {
      step.effects.push({
        type: 'crash',
        message: `updateList of ${JSON.stringify(call.key)}, which isn't a list of this GameServer`,
      })
      return failUnknown('crashed')
    }
    warn(
      step,
      'update-list-unknown',
      `In production updateList of ${JSON.stringify(call.key)} would crash the sidecar: ` +
        'it is no list of this GameServer. ' +
        'Read a list with getList before updating it.',
    )
    return failUnknown(`not found. ${call.key} List not found`)
  }
  const pending = own(step.state.process.lists, call.key)
  if (quirks) {
    setPending(step, call.key, replacement(list, call, nothing), now)
    return ok({ name: '', capacity: '0', values: [] })
  }
  warnOfUpdateList(step, call, pending)
  setPending(step, call.key, replacement(list, call, pending ?? nothing), now)
  return answer(call.key, listView(step.state, call.key) ?? list)
}

/** The pending changes that turn the list as it is shown into what was asked for, added to those given. */
function replacement(list: ListStatus, call: Call & { operation: 'updateList' }, before: PendingList): PendingList {
  const capacity = call.mask.includes('capacity') ? { capacity: call.capacity } : {}
  if (!call.mask.includes('values')) return { ...before, ...capacity }
  const shown = new Set(list.values ?? [])
  const wanted = new Set(call.values)
  const dropped = [...shown].filter((value) => !wanted.has(value))
  return {
    ...before,
    ...capacity,
    remove: [...new Set([...before.remove, ...dropped])],
    add: [...before.add.filter((value) => wanted.has(value)), ...call.values.filter((value) => !shown.has(value))],
  }
}

/** Where bugs are reproduced, the limit is the capacity of a list called `players`, once learnt for good. */
function learnLimit(step: Step): string {
  const { process, object } = step.state
  if (process.listLimit !== '0') return process.listLimit
  const listLimit = own(object.status.lists, 'players')?.capacity ?? '0'
  updateProcess(step, { listLimit })
  return listLimit
}

function warnOfUpdateList(
  step: Step,
  call: Call & { operation: 'updateList' },
  pending: PendingList | undefined,
): void {
  const players = own(step.state.object.status.lists, 'players')
  if (!players || lessThan(players.capacity, call.capacity)) {
    warn(
      step,
      'update-list-limit',
      `In production this updateList would be refused: the highest capacity it takes is that of a list called ` +
        `"players", which ${players ? `has ${players.capacity}` : 'this GameServer lacks'}.`,
    )
  }
  if (pending && (pending.add.length > 0 || pending.remove.length > 0 || pending.capacity !== undefined)) {
    warn(
      step,
      'update-list-drops-pending',
      `In production this updateList would undo what was added to and removed from ${JSON.stringify(call.key)} ` +
        `in the last ${step.state.config.writeDelay} ms. Wait until the watch shows it.`,
    )
  }
  warn(
    step,
    'update-list-answer',
    'In production updateList is refused under the usual cluster role, and where it is allowed its answer is always ' +
      'an empty list. Use addListValue and removeListValue, or read the list afterwards.',
  )
}

function setPending(step: Step, key: string, pending: PendingList, now: number): void {
  updateProcess(step, { lists: withKey(step.state.process.lists, key, pending) })
  enqueue(step, 'lists', now)
}

function answer(name: string, list: ListStatus): Answer {
  return ok({ name, capacity: list.capacity, values: list.values ?? [] })
}
