import type { ListStatus } from '../../../protocol/game-server.js'
import { failUnknown, ok } from '../state/answer.js'
import type { Answer } from '../state/answer.js'
import { lessThan } from '../state/int64.js'
import { sizeProblem } from '../state/object-limits.js'
import { own, withKey } from '../state/records.js'
import { brief, quote } from '../state/show.js'
import type { CallOf } from '../state/sidecar-event.js'
import type { PendingList, SidecarState } from '../state/sidecar-state.js'
import { record, updateProcess, warn, warnOfSize } from '../state/step.js'
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

/**
 * The call that the real sidecar gets wrong in most ways. By default it works here as it is meant to, with warnings of
 * what would happen in production; with `quirks` exactly that happens.
 */
export function updateList(step: Step, call: CallOf<'updateList'>, now: number): Answer {
  record(step, 'updatelist')
  if (!maskIsValid(call.mask)) return failUnknown(maskRefusal(call.mask))
  const { quirks } = step.state.config
  const limit = quirks ? learnLimit(step) : highestCapacity
  const refusal = listCapacityRefusal(call.capacity, limit)
  if (refusal !== undefined) return failUnknown(refusal)
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
      `In production updateList of ${quote(call.key)} would crash the sidecar: ` +
        'this GameServer has no such list. Read a list with getList before updating it.',
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

/** With `quirks` the limit is the capacity of a list called `players`, read once and kept. */
function learnLimit(step: Step): string {
  const { process, object } = step.state
  if (process.listLimit !== '0') return process.listLimit
  const listLimit = own(object.status.lists, 'players')?.capacity ?? '0'
  updateProcess(step, { listLimit })
  return listLimit
}

function warnOfUpdateList(step: Step, call: CallOf<'updateList'>, pending: PendingList | undefined): void {
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
      `In production this updateList would undo what was added to and removed from ${quote(call.key)} ` +
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
  const problem = sizeProblem({ lists: { add: { values: pending.add }, remove: { values: pending.remove } } })
  if (problem !== undefined) return warnOfSize(step, problem)
  updateProcess(step, { lists: withKey(step.state.process.lists, key, pending) })
  enqueue(step, 'lists', now)
}

function answer(name: string, list: ListStatus): Answer {
  return ok({ name, capacity: list.capacity, values: list.values ?? [] })
}
