import { operations } from '../../protocol/operations.js'
import type { CommandOf } from '../model/state/control-command.js'
import { noFaults } from '../model/state/faults.js'
import { withMetadata } from '../model/state/game-server-edits.js'
import { own, withKey, withoutKey } from '../model/state/records.js'
import { paddingKey } from '../model/state/sidecar-state.js'
import { update, updateFaults, writeObject } from '../model/state/step.js'
import type { Step } from '../model/state/step.js'
import { isTexts, mustBe, timeProblem } from './check-field.js'

const maxPadding = 64 * 1024 * 1024

/** Adds or removes a delay. Returns the reason if it can't. */
export function delayCalls(step: Step, command: CommandOf<'delayCalls'>): string | undefined {
  const { ms, operations: names, when = 'before' } = command
  const problem = timeProblem('ms', ms) ?? operationsProblem(names)
  if (problem !== undefined) return problem
  const others = step.state.faults.delays.filter((fault) => !sameNames(fault.operations, names))
  updateFaults(step, { delays: ms === 0 ? others : [...others, { ms, operations: names, when }] })
  return undefined
}

/** Adds a failure. Returns the reason if it can't. */
export function failCalls(step: Step, command: CommandOf<'failCalls'>): string | undefined {
  const { status = 503, message = 'failed on purpose', operations: names, count, drop = false, apply = false } = command
  if (!(Number.isInteger(status) && status >= 400 && status <= 599)) {
    return mustBe('status', 'an integer from 400 to 599', status)
  }
  if (count !== undefined && !(Number.isInteger(count) && count > 0)) {
    return mustBe('count', 'an integer of at least 1', count)
  }
  const problem = operationsProblem(names)
  if (problem !== undefined) return problem
  const others = step.state.faults.failures.filter((fault) => !sameNames(fault.operations, names))
  const failure = { status, message, operations: names, remaining: count, drop, apply }
  updateFaults(step, { failures: [...others, failure] })
  return undefined
}

/** Sends nothing to any watcher, for a while or until it is told to. Returns the reason if it can't. */
export function stallWatchers(step: Step, { ms }: CommandOf<'stallWatchers'>, now: number): string | undefined {
  const problem = ms === undefined ? undefined : timeProblem('ms', ms)
  if (problem !== undefined) return problem
  updateFaults(step, { stalled: true, stalledUntil: ms === undefined ? undefined : now + ms })
  return undefined
}

/** Makes the object larger by an annotation, or normal again. Returns the reason if it can't. */
export function padObject(step: Step, bytes: number): string | undefined {
  if (!(Number.isInteger(bytes) && bytes >= 0 && bytes <= maxPadding))
    return mustBe('bytes', `an integer from 0 to ${maxPadding}`, bytes)
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

function operationsProblem(names: unknown): string | undefined {
  if (names === undefined) return undefined
  if (!isTexts(names)) return mustBe('operations', 'a list of operation names', names)
  const unknown = names.find((name) => !Object.hasOwn(operations, name))
  return unknown === undefined ? undefined : `there is no operation ${JSON.stringify(unknown)}`
}

function sameNames(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  return [...(a ?? [])].sort().join() === [...(b ?? [])].sort().join()
}
