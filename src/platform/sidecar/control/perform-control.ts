import type { OperationName } from '../../../protocol/operations.js'
import { allocate, allocationBy } from '../../allocation/allocate.js'
import { requestUnhealthy } from '../calls/write-queue.js'
import type { CommandOf, ControlCommand } from '../state/events.js'
import { noFaults } from '../state/faults.js'
import { isEqual, own, withState, withText } from '../state/game-server.js'
import { PADDING, type Step, update, updateFaults, warn, writeObject } from '../state/step.js'
import { bringApiServerBack, forgiveSkippedTime, releaseWatchers } from '../time/due-work.js'
import { deleteObject, reload, restart, setCounter, setList, setMetadata, setState } from './control-object.js'

/** Commands that change the object, and so need one. */
const needsObject: ReadonlySet<ControlCommand['type']> = new Set([
  'allocate',
  'setState',
  'setLabel',
  'setAnnotation',
  'setCounter',
  'setList',
  'makeUnhealthy',
  'padObject',
  'delete',
  'terminate',
] as const)

/** Commands that write to the object from outside. `makeUnhealthy` is the sidecar's own write, which waits in its queue. */
const needsApiServer: ReadonlySet<ControlCommand['type']> = new Set(
  [...needsObject, 'reload' as const].filter((type) => type !== 'makeUnhealthy'),
)

/** Carries out a control command. Returns the reason if it can't, or undefined when it is done. */
export function performControl(step: Step, command: ControlCommand): string | undefined {
  if (step.state.gone && needsObject.has(command.type)) {
    return 'the GameServer is gone; restart the sidecar to get a new one'
  }
  if (step.state.apiServerBackAt !== undefined && needsApiServer.has(command.type)) {
    return `the API server is away, and ${command.type} needs it; {"type":"apiServer","away":false} brings it back`
  }
  const perform = performers[command.type] as Performer<ControlCommand['type']>
  const reason = perform(step, command)
  return typeof reason === 'string' ? reason : undefined
}

/** Carries out one kind of command. Returns text as the reason if it can't. */
type Performer<Type extends ControlCommand['type']> = (step: Step, command: CommandOf<Type>) => unknown

const performers: { readonly [Type in ControlCommand['type']]: Performer<Type> } = {
  allocate: performAllocation,
  setState,
  setLabel: setMetadata,
  setAnnotation: setMetadata,
  setCounter,
  setList,
  delete: deleteObject,
  terminate: deleteObject,
  makeUnhealthy,
  reload: (step, { gameServer }) => reload(step, gameServer),
  restart(step, { fresh }) {
    restart(step, fresh === true)
    step.effects.push({ type: 'disconnect', reason: 'restart' })
  },
  delayCalls,
  failCalls,
  padObject,
  ignoreBeats,
  dropWatchers,
  stallWatchers,
  releaseWatchers,
  clearFaults(step) {
    bringApiServerBack(step)
    update(step, { faults: noFaults })
    padObject(step, { bytes: 0 })
  },
  loseWrites: (step, { count }) => updateFaults(step, { writesToLose: count ?? 1 }),
  apiServer: steerApiServer,
  // The host puts its own clock forward.
  advanceClock: (step, { ms }) => forgiveSkippedTime(step, ms),
  setClock: () => undefined,
}

function performAllocation(step: Step, command: CommandOf<'allocate'>): string | undefined {
  const { object, config } = step.state
  const manifest = 'manifest' in command ? command.manifest : allocationBy(command)
  const allocated = allocate(object, manifest, config.platform, step.now)
  if (typeof allocated === 'string') return allocated
  for (const message of allocated.skipped) warn(step, 'allocation-action', message)
  writeObject(step, allocated.object)
  return undefined
}

function makeUnhealthy(step: Step): void {
  const { object, config } = step.state
  if (config.mode === 'local') writeObject(step, withState(object, 'Unhealthy'))
  else requestUnhealthy(step, step.now)
}

function steerApiServer(step: Step, { away, ms }: CommandOf<'apiServer'>): string | undefined {
  if (step.state.config.mode === 'local') return 'local mode has no API server; start the sidecar in production mode'
  if (!away) return void bringApiServerBack(step)
  update(step, { apiServerBackAt: step.now + (ms ?? Infinity) })
  return undefined
}

/** Adds or removes a delay. */
function delayCalls(step: Step, command: CommandOf<'delayCalls'>): void {
  const { ms, when = 'before' } = command
  const names = inOrder(command.operations)
  const others = step.state.faults.delays.filter((fault) => !isEqual(fault.operations, names))
  updateFaults(step, { delays: ms === 0 ? others : [...others, { ms, operations: names, when }] })
}

function failCalls(step: Step, command: CommandOf<'failCalls'>): void {
  const { status = 503, message = 'failed on purpose', count, retryAfter } = command
  const { drop = false, apply = false } = command
  const names = inOrder(command.operations)
  const others = step.state.faults.failures.filter((fault) => !isEqual(fault.operations, names))
  const failure = { status, message, operations: names, remaining: count, drop, apply, retryAfter }
  updateFaults(step, { failures: [...others, failure] })
}

function ignoreBeats(step: Step, { on, count }: CommandOf<'ignoreBeats'>): void {
  updateFaults(step, { beatsToIgnore: on ? (count ?? Infinity) : 0 })
}

/** Cuts all watches, or those of `ids`. */
function dropWatchers(step: Step, { ids }: CommandOf<'dropWatchers'>): string | undefined {
  const { watchers } = step.state
  const unknown = ids?.find((id) => !watchers.includes(id))
  if (unknown !== undefined) {
    return `there is no watcher ${unknown}; ${watchers.length === 0 ? 'none is open' : `open are ${watchers.slice(0, 20).join(', ')}`}`
  }
  step.effects.push({ type: 'end-watchers', reason: 'dropped', ...(ids && { ids }) })
  update(step, { watchers: ids === undefined ? [] : watchers.filter((id) => !ids.includes(id)) })
  return undefined
}

/** Sends nothing to any watcher, for a while or until `releaseWatchers`. */
function stallWatchers(step: Step, { ms }: CommandOf<'stallWatchers'>): void {
  updateFaults(step, { stalledUntil: step.now + (ms ?? Infinity) })
}

/** Makes the object larger by an annotation, or normal again. */
function padObject(step: Step, { bytes }: { readonly bytes: number }): void {
  const { object } = step.state
  if (bytes === 0 && own(object.object_meta.annotations, PADDING) === undefined) return
  writeObject(step, withText(object, 'annotations', PADDING, bytes === 0 ? null : 'x'.repeat(bytes)))
}

/** Operations in order and without duplicates, so that equal choices are equal. */
function inOrder(names: readonly OperationName[] | undefined): readonly OperationName[] | undefined {
  return names && [...new Set(names)].sort()
}
