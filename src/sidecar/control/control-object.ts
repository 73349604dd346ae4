import type { CommandOf } from '../model/state/control-command.js'
import { withCounter, withList, withMetadata, withState } from '../model/state/game-server-edits.js'
import { own, withKey, withoutKey } from '../model/state/records.js'
import { update, writeObject } from '../model/state/step.js'
import type { Step } from '../model/state/step.js'
import { isName, isTexts, mustBe, timeProblem, toNatural } from './check-field.js'

const defaultGrace = 30_000

export function setState(step: Step, command: CommandOf<'setState'>, now: number): string | undefined {
  const { object, config } = step.state
  if (!isName(command.state)) return mustBe('state', 'a non-empty string', command.state)
  writeObject(step, withState(object, command.state))
  if (command.state === 'RequestReady' && config.mode === 'production') {
    update(step, { readyAt: now + config.controllerDelay })
  }
  return undefined
}

export function setMetadata(step: Step, command: CommandOf<'setLabel' | 'setAnnotation'>): string | undefined {
  const { key, value } = command
  if (!isName(key)) return mustBe('key', 'a non-empty string', key)
  if (value !== null && typeof value !== 'string') return mustBe('value', 'a string, or null to remove the key', value)
  const { object } = step.state
  const kind = command.type === 'setLabel' ? 'labels' : 'annotations'
  const before = object.object_meta[kind]
  writeObject(step, withMetadata(object, kind, value === null ? withoutKey(before, key) : withKey(before, key, value)))
  return undefined
}

export function setCounter(step: Step, command: CommandOf<'setCounter'>): string | undefined {
  const { object } = step.state
  if (!isName(command.name)) return mustBe('name', 'a non-empty string', command.name)
  const before = own(object.status.counters, command.name)
  const count = toNatural(command.count ?? before?.count ?? 0)
  if (count === undefined) return mustBe('count', 'an integer of at least 0', command.count)
  const capacity = toNatural(command.capacity ?? before?.capacity ?? 0)
  if (capacity === undefined) return mustBe('capacity', 'an integer of at least 0', command.capacity)
  writeObject(step, withCounter(object, command.name, { count, capacity }))
  return undefined
}

export function setList(step: Step, command: CommandOf<'setList'>): string | undefined {
  const { object } = step.state
  if (!isName(command.name)) return mustBe('name', 'a non-empty string', command.name)
  const before = own(object.status.lists, command.name)
  const values = command.values ?? before?.values ?? []
  if (!isTexts(values)) return mustBe('values', 'a list of strings', values)
  const capacity = toNatural(command.capacity ?? before?.capacity ?? values.length)
  if (capacity === undefined) return mustBe('capacity', 'an integer of at least 0', command.capacity)
  writeObject(step, withList(object, command.name, { capacity, values: [...values] }))
  return undefined
}

export function deleteObject(step: Step, command: CommandOf<'delete'>, now: number): string | undefined {
  const { graceMs = defaultGrace } = command
  const problem = timeProblem('graceMs', graceMs)
  if (problem !== undefined) return problem
  const { object, config } = step.state
  if (object.object_meta.deletion_timestamp !== '0') return 'the GameServer is being deleted already'
  const timestamp = String(Math.floor(now / 1000))
  writeObject(step, { ...object, object_meta: { ...object.object_meta, deletion_timestamp: timestamp } }, true)
  // The real sidecar's local mode has no cluster that the object could vanish from.
  if (config.mode === 'production') update(step, { goneAt: now + graceMs })
  return undefined
}
