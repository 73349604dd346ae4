import type { ListStatus } from '../../protocol/game-server.js'
import { operations } from '../../protocol/operations.js'
import { allocate } from './allocation.js'
import type { ControlCommand } from '../model/state/sidecar-event.js'
import { initialObject, reloadedObject } from '../model/state/initial-game-server.js'
import { lessThan, toInt64 } from '../model/state/int64.js'
import { readManifest } from '../model/state/manifest.js'
import { askForUnhealthy } from '../model/calls/write-queue.js'
import { own, withKey, withoutKey } from '../model/state/records.js'
import { createHealth, createProcess, noFaults } from '../model/state/sidecar-state.js'
import type { FaultState } from '../model/state/sidecar-state.js'
import { update, updateProcess, withMetadata, withState, writeObject } from '../model/state/step.js'
import type { Step } from '../model/state/step.js'

/** The annotation that makes an object as large as asked for. */
const paddingKey = 'gameserver-sidecar.local/padding'
const largestPadding = 64 * 1024 * 1024
const defaultGrace = 30_000

/** Does what a control command asks for. Returns why not, or undefined when it is done. */
export function performControl(step: Step, command: ControlCommand, now: number): string | undefined {
  const { state } = step
  const { object, config } = state
  const setFaults = (change: Partial<FaultState>): undefined => {
    update(step, { faults: { ...step.state.faults, ...change } })
  }
  if (state.gone && changesObject.has(command.type)) {
    return 'the GameServer is gone; restart the sidecar to get a new one'
  }
  switch (command.type) {
    case 'allocate': {
      const allocated = allocate(object, command, config.platform, now)
      if (typeof allocated === 'string') return allocated
      writeObject(step, allocated)
      return undefined
    }
    case 'setState':
      if (typeof command.state !== 'string' || command.state === '') return 'a state is needed'
      writeObject(step, withState(object, command.state))
      if (command.state === 'RequestReady' && config.mode === 'production')
        update(step, { readyAt: now + config.controllerDelay })
      return undefined
    case 'setLabel':
    case 'setAnnotation': {
      if (typeof command.key !== 'string' || command.key === '') return 'a key is needed'
      if (command.value !== null && typeof command.value !== 'string')
        return 'the value must be a string, or null to remove it'
      const kind = command.type === 'setLabel' ? 'labels' : 'annotations'
      const before = object.object_meta[kind]
      const { key, value } = command
      writeObject(
        step,
        withMetadata(object, kind, value === null ? withoutKey(before, key) : withKey(before, key, value)),
      )
      return undefined
    }
    case 'setCounter':
      return setCounter(step, command)
    case 'setList':
      return setList(step, command)
    case 'ignoreBeats':
      return setFaults({ ignoreBeats: command.on })
    case 'makeUnhealthy':
      if (config.mode === 'local') writeObject(step, withState(object, 'Unhealthy'))
      else askForUnhealthy(step, now - config.writeDelay)
      return undefined
    case 'dropWatchers':
      step.effects.push({ type: 'end-watchers', reason: 'dropped' })
      update(step, { watchers: [] })
      return undefined
    case 'stallWatchers':
      return setFaults({
        stalled: true,
        stalledUntil: command.ms === undefined ? undefined : now + command.ms,
      })
    case 'releaseWatchers':
      return setFaults({ stalled: false, stalledUntil: undefined })
    case 'delayCalls':
      return delayCalls(step, command)
    case 'failCalls':
      return failCalls(step, command)
    case 'clearFaults':
      update(step, { faults: noFaults })
      pad(step, 0)
      return undefined
    case 'padObject':
      if (!(command.bytes >= 0 && command.bytes <= largestPadding)) return `bytes must be from 0 to ${largestPadding}`
      pad(step, command.bytes)
      return undefined
    case 'restart':
      restart(step, command.fresh === true, now)
      step.effects.push({ type: 'disconnect', reason: 'restart' })
      return undefined
    case 'reload':
      try {
        reload(step, readManifest(command.gameServer), now)
        return undefined
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    case 'delete': {
      if (object.object_meta.deletion_timestamp !== '0') return 'the GameServer is being deleted already'
      const timestamp = String(Math.floor(now / 1000))
      writeObject(step, { ...object, object_meta: { ...object.object_meta, deletion_timestamp: timestamp } }, true)
      // The real sidecar's local mode has no cluster that the object could vanish from.
      if (config.mode === 'production') update(step, { goneAt: now + Math.max(0, command.graceMs ?? defaultGrace) })
      return undefined
    }
    default:
      return `there is no control command ${JSON.stringify((command as { type: unknown }).type)}`
  }
}

const changesObject: ReadonlySet<ControlCommand['type']> = new Set([
  'allocate',
  'setState',
  'setLabel',
  'setAnnotation',
  'setCounter',
  'setList',
  'makeUnhealthy',
  'padObject',
  'delete',
] as const)

/**
 * The process is new and remembers nothing; the object stays as it is in the cluster, unless it is gone. In
 * local
 * mode there is no cluster, and the object starts over too.
 */
export function restart(step: Step, fresh: boolean, now: number): void {
  const { state } = step
  const { config } = state
  const replace = fresh || state.gone || config.mode === 'local'
  const object = replace ? initialObject(config, now) : state.object
  const reservedUntil = replace ? undefined : state.reservedUntil
  const process = createProcess(config, object, now)
  step.effects.push(...(replace ? [{ type: 'change', change: { type: 'replaced' } } as const] : []))
  update(step, {
    object,
    reservedUntil,
    gone: false,
    ...(replace ? { goneAt: undefined, readyAt: undefined } : {}),
    restarts: state.restarts + 1,
    watchers: [],
    process: {
      ...process,
      // A reservation that was written down goes on.
      reserveEnds: object.status.state === 'Reserved' && reservedUntil !== undefined ? reservedUntil : undefined,
    },
  })
}

function reload(step: Step, manifest: Parameters<typeof reloadedObject>[1], now: number): void {
  const { config, object, gone } = step.state
  const nextConfig = { ...config, gameServer: manifest }
  const next = gone ? initialObject(nextConfig, now) : reloadedObject(nextConfig, manifest, object, now)
  update(step, { config: nextConfig, gone: false })
  writeObject(step, next)
  if (JSON.stringify(next.spec?.health) !== JSON.stringify(object.spec?.health) || gone) {
    updateProcess(step, { health: createHealth(nextConfig, step.state.object, now) })
  }
}

function setCounter(step: Step, command: ControlCommand & { type: 'setCounter' }): string | undefined {
  const { object } = step.state
  if (typeof command.name !== 'string' || command.name === '') return 'a name is needed'
  const before = own(object.status.counters, command.name)
  const count = toInt64(command.count ?? before?.count ?? 0)
  const capacity = toInt64(command.capacity ?? before?.capacity ?? 0)
  if (count === undefined || capacity === undefined || lessThan(count, '0') || lessThan(capacity, '0')) {
    return 'count and capacity must be integers of at least 0'
  }
  const counters = withKey(object.status.counters, command.name, { count, capacity })
  writeObject(step, { ...object, status: { ...object.status, counters } })
  return undefined
}

function setList(step: Step, command: ControlCommand & { type: 'setList' }): string | undefined {
  const { object } = step.state
  if (typeof command.name !== 'string' || command.name === '') return 'a name is needed'
  const before = own(object.status.lists, command.name)
  const values = command.values ?? before?.values ?? []
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) return 'values must be strings'
  const capacity = toInt64(command.capacity ?? before?.capacity ?? values.length)
  if (capacity === undefined || lessThan(capacity, '0')) return 'the capacity must be an integer of at least 0'
  const lists = withKey<ListStatus>(object.status.lists, command.name, {
    capacity,
    values: [...values] as string[],
  })
  writeObject(step, { ...object, status: { ...object.status, lists } })
  return undefined
}

function delayCalls(step: Step, command: ControlCommand & { type: 'delayCalls' }): string | undefined {
  const { ms, operations: names, when = 'before' } = command
  if (!(ms >= 0 && ms < 2 ** 31)) return 'ms must be a number of at least 0'
  const unknown = unknownOperation(names)
  if (unknown !== undefined) return unknown
  const { faults } = step.state
  const others = faults.delays.filter((fault) => !sameNames(fault.operations, names))
  const delays = ms === 0 ? others : [...others, { ms, operations: names, when }]
  update(step, { faults: { ...faults, delays } })
  return undefined
}

function failCalls(step: Step, command: ControlCommand & { type: 'failCalls' }): string | undefined {
  const { status = 503, message = 'failed on purpose', operations: names, count, drop = false, apply = false } = command
  if (!(Number.isInteger(status) && status >= 400 && status <= 599)) return 'status must be from 400 to 599'
  if (count !== undefined && !(Number.isInteger(count) && count > 0)) return 'count must be an integer of at least 1'
  const unknown = unknownOperation(names)
  if (unknown !== undefined) return unknown
  const { faults } = step.state
  const others = faults.failures.filter((fault) => !sameNames(fault.operations, names))
  const failure = { status, message, operations: names, remaining: count, drop, apply }
  update(step, { faults: { ...faults, failures: [...others, failure] } })
  return undefined
}

function unknownOperation(names: readonly string[] | undefined): string | undefined {
  const unknown = names?.find((name) => !Object.keys(operations).includes(name))
  return unknown === undefined ? undefined : `there is no operation ${JSON.stringify(unknown)}`
}

function sameNames(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  return [...(a ?? [])].sort().join() === [...(b ?? [])].sort().join()
}

function pad(step: Step, bytes: number): void {
  const { object } = step.state
  const { annotations } = object.object_meta
  if (bytes === 0 && own(annotations, paddingKey) === undefined) return
  const next = bytes === 0 ? withoutKey(annotations, paddingKey) : withKey(annotations, paddingKey, 'x'.repeat(bytes))
  writeObject(step, withMetadata(object, 'annotations', next))
}
