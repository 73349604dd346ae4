import type { OperationName } from '../../protocol/operations.js'
import type { CommandOf } from '../model/state/sidecar-event.js'
import { noFaults } from '../model/state/faults.js'
import { own, withText } from '../model/state/game-server-edits.js'
import { paddingKey } from '../model/state/object-limits.js'
import { update, updateFaults, writeObject } from '../model/state/step.js'
import type { Step } from '../model/state/step.js'

/** Adds or removes a delay. */
export function delayCalls(step: Step, command: CommandOf<'delayCalls'>): void {
  const { ms, jitterMs = 0, when = 'before' } = command
  const names = inOrder(command.operations)
  const others = step.state.faults.delays.filter((fault) => !sameNames(fault.operations, names))
  const isOff = ms + jitterMs === 0
  updateFaults(step, { delays: isOff ? others : [...others, { ms, jitterMs, operations: names, when }] })
}

export function failCalls(step: Step, command: CommandOf<'failCalls'>): void {
  const { status = 503, message = 'failed on purpose', count, share = 1, retryAfter } = command
  const { drop = false, apply = false } = command
  const names = inOrder(command.operations)
  const others = step.state.faults.failures.filter((fault) => !sameNames(fault.operations, names))
  const failure = { status, message, operations: names, remaining: count, drop, apply, share, retryAfter }
  updateFaults(step, { failures: [...others, failure] })
}

export function ignoreBeats(step: Step, { on, count }: CommandOf<'ignoreBeats'>): void {
  updateFaults(step, { beatsToIgnore: on ? (count ?? Infinity) : 0 })
}

/** Cuts all watches or those of `ids`; with `everyMs`, again and again. */
export function dropWatchers(step: Step, { ids, everyMs }: CommandOf<'dropWatchers'>, now: number): string | undefined {
  const { watchers } = step.state
  if (ids !== undefined && everyMs !== undefined) {
    return 'ids and everyMs exclude each other: a watch that was cut comes back with another id'
  }
  const unknown = ids?.find((id) => !watchers.includes(id))
  if (unknown !== undefined) {
    return `there is no watcher ${unknown}; ${watchers.length === 0 ? 'none is open' : `open are ${watchers.slice(0, 20).join(', ')}`}`
  }
  if (everyMs !== undefined) updateFaults(step, { drops: { everyMs, next: now + everyMs } })
  step.effects.push({ type: 'end-watchers', reason: 'dropped', ...(ids && { ids }) })
  update(step, { watchers: ids === undefined ? [] : watchers.filter((id) => !ids.includes(id)) })
  return undefined
}

/** Sends nothing to any watcher, for a while or until `releaseWatchers`. */
export function stallWatchers(step: Step, { ms }: CommandOf<'stallWatchers'>, now: number): void {
  updateFaults(step, { stalledUntil: now + (ms ?? Infinity) })
}

/** Makes the object larger by an annotation, or normal again. */
export function padObject(step: Step, bytes: number): void {
  const { object } = step.state
  if (bytes === 0 && own(object.object_meta.annotations, paddingKey) === undefined) return
  writeObject(step, withText(object, 'annotations', paddingKey, bytes === 0 ? null : 'x'.repeat(bytes)))
}

export function clearFaults(step: Step): void {
  update(step, { faults: noFaults })
  padObject(step, 0)
}

/** Operations in order and without duplicates, for `sameNames`. */
function inOrder(names: readonly OperationName[] | undefined): readonly OperationName[] | undefined {
  return names && [...new Set(names)].sort()
}

function sameNames(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.join() === b.join()
}
