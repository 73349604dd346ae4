import { operations } from '../../protocol/operations.js'
import type { CommandOf } from '../model/state/control-command.js'
import { noFaults } from '../model/state/faults.js'
import { withMetadata } from '../model/state/game-server-edits.js'
import { own, withKey, withoutKey } from '../model/state/records.js'
import { paddingKey } from '../model/state/sidecar-state.js'
import { update, updateFaults, writeObject } from '../model/state/step.js'
import type { Step } from '../model/state/step.js'

const maxPadding = 64 * 1024 * 1024

/** Adds or removes a delay. Returns the reason if it can't. */
export function delayCalls(step: Step, command: CommandOf<'delayCalls'>): string | undefined {
  const { ms, operations: names, when = 'before' } = command
  if (!(ms >= 0 && ms < 2 ** 31)) return 'ms must be a number of at least 0'
  const unknown = unknownOperation(names)
  if (unknown !== undefined) return unknown
  const others = step.state.faults.delays.filter((fault) => !sameNames(fault.operations, names))
  updateFaults(step, { delays: ms === 0 ? others : [...others, { ms, operations: names, when }] })
  return undefined
}

/** Adds a failure. Returns the reason if it can't. */
export function failCalls(step: Step, command: CommandOf<'failCalls'>): string | undefined {
  const { status = 503, message = 'failed on purpose', operations: names, count, drop = false, apply = false } = command
  if (!(Number.isInteger(status) && status >= 400 && status <= 599)) return 'status must be from 400 to 599'
  if (count !== undefined && !(Number.isInteger(count) && count > 0)) return 'count must be an integer of at least 1'
  const unknown = unknownOperation(names)
  if (unknown !== undefined) return unknown
  const others = step.state.faults.failures.filter((fault) => !sameNames(fault.operations, names))
  const failure = { status, message, operations: names, remaining: count, drop, apply }
  updateFaults(step, { failures: [...others, failure] })
  return undefined
}

/** Makes the object larger by an annotation, or normal again. Returns the reason if it can't. */
export function padObject(step: Step, bytes: number): string | undefined {
  if (!(bytes >= 0 && bytes <= maxPadding)) return `bytes must be from 0 to ${maxPadding}`
  const { object } = step.state
  const { annotations } = object.object_meta
  if (bytes === 0 && own(annotations, paddingKey) === undefined) return undefined
  const next = bytes === 0 ? withoutKey(annotations, paddingKey) : withKey(annotations, paddingKey, 'x'.repeat(bytes))
  writeObject(step, withMetadata(object, 'annotations', next))
  return undefined
}

export function clearFaults(step: Step): void {
  update(step, { faults: noFaults })
  padObject(step, 0)
}

function unknownOperation(names: readonly string[] | undefined): string | undefined {
  const unknown = names?.find((name) => !Object.hasOwn(operations, name))
  return unknown === undefined ? undefined : `there is no operation ${JSON.stringify(unknown)}`
}

function sameNames(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  return [...(a ?? [])].sort().join() === [...(b ?? [])].sort().join()
}
