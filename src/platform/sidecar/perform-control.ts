import type { GameServer } from '../../protocol/game-server.js'
import type { OperationName } from '../../protocol/operations.js'
import { allocate, allocationBy } from '../allocation/allocate.js'
import { requestUnhealthy } from './calls/write-queue.js'
import { CONTROLLER_MS, type GameServerManifest, type SidecarConfig } from './state/config.js'
import type { CommandOf, ControlCommand } from './state/events.js'
import { noFaults } from './state/faults.js'
import { isEqual, isMarked, own, sorted, withCounter, withList, withState, withText } from './state/game-server.js'
import { createdGameServer, initialGameServer, literalGameServer } from './state/initial-game-server.js'
import { toNatural } from './state/int64.js'
import { createHealth, createProcess } from './state/sidecar-state.js'
import { PADDING, type Step, update, updateFaults, updateProcess, warn, writeObject } from './state/step.js'
import { begin, bringApiServerBack, forgiveSkippedTime, markDeleted } from './due-work.js'
import { releaseWatchers, replace, startFresh } from './due-work.js'

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

/** Whether a command writes from outside. `makeUnhealthy` is the sidecar's own write, which waits in its queue. */
const needsApiServer = ({ type }: ControlCommand): boolean =>
  type === 'reload' || (needsObject.has(type) && type !== 'makeUnhealthy')

/** Carries out a control command. Returns the reason if it can't, or undefined when it is done. */
export function performControl(step: Step, command: ControlCommand): string | undefined {
  if (step.state.gone && needsObject.has(command.type)) {
    return 'the GameServer is gone; restart the sidecar to get a new one'
  }
  if (step.state.apiServerBackAt !== undefined && needsApiServer(command)) {
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
  ignoreBeats: (step, { on, count }) => updateFaults(step, { beatsToIgnore: on ? (count ?? Infinity) : 0 }),
  dropWatchers: (step, { ids }) => step.effects.push({ type: 'end-watchers', reason: 'dropped', ...(ids && { ids }) }),
  stallWatchers: (step, { ms }) => updateFaults(step, { stalledUntil: step.now + (ms ?? Infinity) }),
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

function setState(step: Step, command: CommandOf<'setState'>): void {
  const { object, config, ending } = step.state
  const next = withState(object, command.state)
  // A cluster never undoes an end; here this command lets the same GameServer continue.
  const isTakenBack = ending !== undefined && ending.reason !== 'deleted' && !isEnd(command.state)
  writeObject(step, isTakenBack ? { ...next, object_meta: { ...next.object_meta, deletion_timestamp: '0' } } : next)
  if (command.state === 'RequestReady' && config.mode === 'production') {
    update(step, { readyAt: step.now + CONTROLLER_MS })
  }
}

const isEnd = (state: string): boolean => state === 'Shutdown' || state === 'Unhealthy'

function setMetadata(step: Step, command: CommandOf<'setLabel' | 'setAnnotation'>): void {
  const kind = command.type === 'setLabel' ? 'labels' : 'annotations'
  writeObject(step, withText(step.state.object, kind, command.key, command.value))
}

function setCounter(step: Step, command: CommandOf<'setCounter'>): void {
  const { object } = step.state
  const before = own(object.status.counters, command.name)
  const count = toNatural(command.count) ?? before?.count ?? '0'
  const capacity = toNatural(command.capacity) ?? before?.capacity ?? '0'
  writeObject(step, withCounter(object, command.name, { count, capacity }))
}

function setList(step: Step, command: CommandOf<'setList'>): void {
  const { object } = step.state
  const before = own(object.status.lists, command.name)
  const values = command.values ?? before?.values ?? []
  const capacity = toNatural(command.capacity) ?? before?.capacity ?? String(values.length)
  writeObject(step, withList(object, command.name, { capacity, values: [...values] }))
}

function deleteObject(step: Step, command: CommandOf<'delete' | 'terminate'>): string | undefined {
  const { graceMs = 30_000 } = command
  const { object, config, ending } = step.state
  // A GameServer that the platform has marked for deletion can still be removed at once.
  const isMarkedByPlatform = ending !== undefined && ending.reason !== 'deleted'
  if (isMarked(object) && !isMarkedByPlatform) return 'the GameServer is being deleted already'
  markDeleted(step)
  // The real sidecar's local mode has no cluster that the object could vanish from.
  if (config.mode === 'production') update(step, { goneAt: step.now + graceMs })
  return undefined
}

/**
 * Starts the process anew, without any memory. The object stays as it is in the cluster, unless it is gone or `fresh`
 * asks for a new one. Local mode has no cluster, so its object starts over too.
 */
function restart(step: Step, fresh: boolean): void {
  const { config, object, gone, ending, reservedUntil, gameCalled } = step.state
  // The object of local mode is the process's own, so it starts over as the same one.
  if (config.mode === 'local') return begin(step, initialGameServer(config, step.now), 'restart')
  if (fresh || gone) return startFresh(step, ending?.reason ?? 'restart')
  // The kubelet probes a container that has started again at once, whether the game calls or not.
  const process = createProcess(config, object, step.now, gameCalled)
  // The object carries the end of a reservation, so the new process goes on with it.
  update(step, { process: object.status.state === 'Reserved' ? { ...process, reserveEnds: reservedUntil } : process })
}

/** Replaces the manifest, as when its file was saved. A deleted GameServer is replaced by a fresh one. */
function reload(step: Step, manifest: GameServerManifest): void {
  const { config, object, gone, gameCalled } = step.state
  const nextConfig = { ...config, gameServer: manifest }
  update(step, { config: nextConfig })
  if (gone) return replace(step)
  const next = reloadedGameServer(nextConfig, manifest, object, step.now)
  writeObject(step, next)
  if (JSON.stringify(next.spec?.health) !== JSON.stringify(object.spec?.health)) {
    updateProcess(step, { health: createHealth(nextConfig, step.state.object, step.now, gameCalled) })
  }
}

/**
 * The GameServer after its manifest was replaced. Local mode takes the manifest and forgets the rest, as the real one
 * does. Production keeps everything that only the cluster or the SDK knows: state, address, ids, SDK metadata, and the
 * present values of counters and lists of which the manifest gives no status.
 */
function reloadedGameServer(
  config: SidecarConfig,
  manifest: GameServerManifest,
  previous: GameServer,
  now: number,
): GameServer {
  if (config.mode === 'local') return literalGameServer(config, manifest)
  const fresh = createdGameServer(config, manifest, now)
  const { metadata, status } = manifest
  const before = previous.object_meta
  const after = fresh.object_meta
  const platformPrefix = `${config.platform}.dev/`
  return {
    object_meta: {
      ...after,
      uid: metadata?.uid ?? before.uid,
      resource_version: before.resource_version,
      generation: before.generation,
      creation_timestamp: metadata?.creationTimestamp ? after.creation_timestamp : before.creation_timestamp,
      deletion_timestamp: before.deletion_timestamp ?? '0',
      annotations: keepWithPrefix(platformPrefix, before.annotations, after.annotations),
      labels: keepWithPrefix(platformPrefix, before.labels, after.labels),
    },
    ...(fresh.spec ? { spec: fresh.spec } : {}),
    status: {
      ...fresh.status,
      state: status?.state ?? previous.status.state,
      counters: keepValues(fresh.status.counters, previous.status.counters, status?.counters),
      lists: keepValues(fresh.status.lists, previous.status.lists, status?.lists),
    },
  }
}

type Texts = Readonly<Record<string, string>> | null | undefined

function keepWithPrefix(prefix: string, before: Texts, after: Texts): Record<string, string> {
  const kept = Object.entries(before ?? {}).filter(([key]) => key.startsWith(prefix))
  return sorted([...kept, ...Object.entries(after ?? {})])
}

function keepValues<T>(
  fresh: Readonly<Record<string, T>> | null | undefined,
  previous: Readonly<Record<string, T>> | null | undefined,
  given: Readonly<Record<string, unknown>> | null | undefined,
): Record<string, T> {
  return sorted(
    Object.entries(fresh ?? {}).map(([name, value]) => [
      name,
      own(given, name) === undefined ? (own(previous, name) ?? value) : value,
    ]),
  )
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
