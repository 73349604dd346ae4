import type { GameServerAllocation } from '../allocation/manifest.js'
import { planAllocation } from '../allocation/plan-allocation.js'
import type { AllocationPlan } from '../allocation/plan-allocation.js'
import { requestUnhealthy } from '../model/calls/write-queue.js'
import type { CommandOf, ControlCommand } from '../model/state/sidecar-event.js'
import { withState } from '../model/state/game-server-edits.js'
import { update, updateFaults, warn, writeObject } from '../model/state/step.js'
import type { Step } from '../model/state/step.js'
import { bringApiServerBack, releaseWatchers } from '../model/time/due-work.js'
import { forgiveSkippedTime } from '../model/time/health.js'
import { allocate } from '../allocation/allocate.js'
import {
  clearFaults,
  delayCalls,
  dropWatchers,
  failCalls,
  ignoreBeats,
  padObject,
  stallWatchers,
} from './control-faults.js'
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
export function performControl(step: Step, command: ControlCommand, now: number): string | undefined {
  if (step.state.gone && needsObject.has(command.type)) {
    return 'the GameServer is gone; restart the sidecar to get a new one'
  }
  if (step.state.apiServerBackAt !== undefined && needsApiServer.has(command.type)) {
    return `the API server is away, and ${command.type} needs it; {"type":"apiServer","away":false} brings it back`
  }
  const perform = performers[command.type] as Performer<ControlCommand['type']>
  const reason = perform(step, command, now)
  return typeof reason === 'string' ? reason : undefined
}

/** Carries out one kind of command. Returns text as the reason if it can't. */
type Performer<Type extends ControlCommand['type']> = (step: Step, command: CommandOf<Type>, now: number) => unknown

const performers: { readonly [Type in ControlCommand['type']]: Performer<Type> } = {
  allocate: performAllocation,
  setState,
  setLabel: setMetadata,
  setAnnotation: setMetadata,
  setCounter,
  setList,
  delete: deleteObject,
  terminate: deleteObject,
  makeUnhealthy: (step, _command, now) => makeUnhealthy(step, now),
  reload: (step, { gameServer }, now) => reload(step, gameServer, now),
  restart(step, { fresh }, now) {
    restart(step, fresh === true, now)
    step.effects.push({ type: 'disconnect', reason: 'restart' })
  },
  delayCalls,
  failCalls,
  padObject: (step, { bytes }) => padObject(step, bytes),
  ignoreBeats,
  dropWatchers,
  stallWatchers,
  releaseWatchers,
  clearFaults(step, _command, now) {
    bringApiServerBack(step, now)
    clearFaults(step)
  },
  loseWrites: (step, { count }) => updateFaults(step, { writesToLose: count ?? 1 }),
  apiServer: steerApiServer,
  // The host puts its own clock forward.
  advanceClock: (step, { ms }, now) => forgiveSkippedTime(step, ms, now),
  setClock: () => undefined,
}

function performAllocation(step: Step, command: CommandOf<'allocate'>, now: number): string | undefined {
  const { object, config } = step.state
  const plan = 'manifest' in command ? planOf(step, command.manifest) : command
  if (typeof plan === 'string') return plan
  const allocated = allocate(object, plan, config.platform, now)
  if (typeof allocated === 'string') return allocated
  writeObject(step, allocated)
  return undefined
}

function planOf(step: Step, manifest: GameServerAllocation): AllocationPlan | string {
  const plan = planAllocation(manifest, step.state.object)
  if (typeof plan !== 'string') for (const message of plan.skipped) warn(step, 'allocation-action', message)
  return plan
}

function makeUnhealthy(step: Step, now: number): void {
  const { object, config } = step.state
  if (config.mode === 'local') writeObject(step, withState(object, 'Unhealthy'))
  // The write is due at once, as if it had been queued a delay ago.
  else requestUnhealthy(step, now - config.writeDelay)
}

function steerApiServer(step: Step, { away, ms }: CommandOf<'apiServer'>, now: number): string | undefined {
  if (step.state.config.mode === 'local') return 'local mode has no API server; start the sidecar in production mode'
  if (!away) return void bringApiServerBack(step, now)
  update(step, { apiServerBackAt: now + (ms ?? Infinity) })
  return undefined
}
