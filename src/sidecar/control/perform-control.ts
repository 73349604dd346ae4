import type { GameServerAllocation } from '../allocation/manifest.js'
import { allocationProblem } from '../allocation/manifest-problem.js'
import { planAllocation } from '../allocation/plan-allocation.js'
import type { AllocationPlan } from '../allocation/plan-allocation.js'
import { requestUnhealthy } from '../model/calls/write-queue.js'
import type { CommandOf, ControlCommand } from '../model/state/control-command.js'
import { withState } from '../model/state/game-server-edits.js'
import { readManifest } from '../model/state/manifest.js'
import { updateFaults, warn, writeObject } from '../model/state/step.js'
import type { Step } from '../model/state/step.js'
import { bringApiServerBack, loseApiServer } from '../model/time/api-server.js'
import { forgiveSkippedTime } from '../model/time/health-clock.js'
import { allocate } from './allocation.js'
import {
  clearFaults,
  delayCalls,
  dropWatchers,
  failCalls,
  ignoreBeats,
  padObject,
  stallWatchers,
} from './control-faults.js'
import { deleteObject, setCounter, setList, setMetadata, setState } from './control-object.js'
import { reload, restart } from './restart.js'

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
  if (step.state.apiServer.away && needsApiServer.has(command.type)) {
    return `the API server is away, and ${command.type} needs it; {"type":"apiServer","away":false} brings it back`
  }
  switch (command.type) {
    case 'allocate':
      return performAllocation(step, command, now)
    case 'setState':
      return void setState(step, command, now)
    case 'setLabel':
    case 'setAnnotation':
      return void setMetadata(step, command)
    case 'setCounter':
      return void setCounter(step, command)
    case 'setList':
      return void setList(step, command)
    case 'delete':
    case 'terminate':
      return deleteObject(step, command, now)
    case 'makeUnhealthy':
      return void makeUnhealthy(step, now)
    case 'reload':
      return performReload(step, command, now)
    case 'restart':
      restart(step, command.fresh === true, now)
      step.effects.push({ type: 'disconnect', reason: 'restart' })
      return undefined
    case 'delayCalls':
      return delayCalls(step, command)
    case 'failCalls':
      return failCalls(step, command)
    case 'padObject':
      return void padObject(step, command.bytes)
    case 'ignoreBeats':
      return void ignoreBeats(step, command)
    case 'dropWatchers':
      return dropWatchers(step, command, now)
    case 'stallWatchers':
      return void stallWatchers(step, command, now)
    case 'releaseWatchers':
      return void updateFaults(step, { stalled: false, stalledUntil: undefined })
    case 'clearFaults':
      bringApiServerBack(step, now)
      return void clearFaults(step)
    case 'loseWrites':
      return void updateFaults(step, { writesToLose: command.count ?? 1 })
    case 'apiServer':
      return steerApiServer(step, command, now)
    case 'advanceClock':
      // The clock is the host's.
      return void forgiveSkippedTime(step, command.ms, now)
    case 'setClock':
      return undefined
  }
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
  const { object, config } = step.state
  const problem = allocationProblem(manifest, config.featureGates)
  if (problem !== undefined) return problem.message
  const plan = planAllocation(manifest, object)
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
  return void loseApiServer(step, ms === undefined ? undefined : now + ms)
}

function performReload(step: Step, command: CommandOf<'reload'>, now: number): string | undefined {
  try {
    reload(step, readManifest(command.gameServer), now)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
