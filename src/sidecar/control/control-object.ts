import type { CommandOf } from '../model/state/control-command.js'
import { withCounter, withList, withMetadata, withState } from '../model/state/game-server-edits.js'
import { lessThan, toInt64 } from '../model/state/int64.js'
import { own, withKey, withoutKey } from '../model/state/records.js'
import { update, writeObject } from '../model/state/step.js'
import type { Step } from '../model/state/step.js'

const defaultGrace = 30_000

export function setState(step: Step, command: CommandOf<'setState'>, now: number): string | undefined {
  const { object, config } = step.state
  if (typeof command.state !== 'string' || command.state === '') return 'a state is needed'
  writeObject(step, withState(object, command.state))
  if (command.state === 'RequestReady' && config.mode === 'production') {
    update(step, { readyAt: now + config.controllerDelay })
  }
  return undefined
}

export function setMetadata(step: Step, command: CommandOf<'setLabel' | 'setAnnotation'>): string | undefined {
  const { key, value } = command
  if (typeof key !== 'string' || key === '') return 'a key is needed'
  if (value !== null && typeof value !== 'string') return 'the value must be a string, or null to remove it'
  const { object } = step.state
  const kind = command.type === 'setLabel' ? 'labels' : 'annotations'
  const before = object.object_meta[kind]
  writeObject(step, withMetadata(object, kind, value === null ? withoutKey(before, key) : withKey(before, key, value)))
  return undefined
}

export function setCounter(step: Step, command: CommandOf<'setCounter'>): string | undefined {
  const { object } = step.state
  if (typeof command.name !== 'string' || command.name === '') return 'a name is needed'
  const before = own(object.status.counters, command.name)
  const count = toInt64(command.count ?? before?.count ?? 0)
  const capacity = toInt64(command.capacity ?? before?.capacity ?? 0)
  if (count === undefined || capacity === undefined || lessThan(count, '0') || lessThan(capacity, '0')) {
    return 'count and capacity must be integers of at least 0'
  }
  writeObject(step, withCounter(object, command.name, { count, capacity }))
  return undefined
}

export function setList(step: Step, command: CommandOf<'setList'>): string | undefined {
  const { object } = step.state
  if (typeof command.name !== 'string' || command.name === '') return 'a name is needed'
  const before = own(object.status.lists, command.name)
  const values = command.values ?? before?.values ?? []
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) return 'values must be strings'
  const capacity = toInt64(command.capacity ?? before?.capacity ?? values.length)
  if (capacity === undefined || lessThan(capacity, '0')) return 'the capacity must be an integer of at least 0'
  writeObject(step, withList(object, command.name, { capacity, values: [...values] as string[] }))
  return undefined
}

export function deleteObject(step: Step, command: CommandOf<'delete'>, now: number): string | undefined {
  const { object, config } = step.state
  if (object.object_meta.deletion_timestamp !== '0') return 'the GameServer is being deleted already'
  const timestamp = String(Math.floor(now / 1000))
  writeObject(step, { ...object, object_meta: { ...object.object_meta, deletion_timestamp: timestamp } }, true)
  // The real sidecar's local mode has no cluster that the object could vanish from.
  if (config.mode === 'production') update(step, { goneAt: now + Math.max(0, command.graceMs ?? defaultGrace) })
  return undefined
}
