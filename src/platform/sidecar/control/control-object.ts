import { createdGameServer, initialGameServer, literalGameServer } from '../state/initial-game-server.js'
import { CONTROLLER_MS, type GameServerManifest, type SidecarConfig } from '../state/config.js'
import { createHealth, createProcess } from '../state/sidecar-state.js'
import type { CommandOf } from '../state/events.js'
import { isMarked, own, sorted, withCounter, withList, withState, withText } from '../state/game-server.js'
import { toNatural } from '../state/int64.js'
import { update, updateProcess, writeObject, type Step } from '../state/step.js'
import { begin, markDeleted, replace, startFresh } from '../time/ending.js'
import type { GameServer } from '../../../protocol/game-server.js'

const defaultGrace = 30_000

export function setState(step: Step, command: CommandOf<'setState'>): void {
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

export function setMetadata(step: Step, command: CommandOf<'setLabel' | 'setAnnotation'>): void {
  const kind = command.type === 'setLabel' ? 'labels' : 'annotations'
  writeObject(step, withText(step.state.object, kind, command.key, command.value))
}

export function setCounter(step: Step, command: CommandOf<'setCounter'>): void {
  const { object } = step.state
  const before = own(object.status.counters, command.name)
  const count = toNatural(command.count) ?? before?.count ?? '0'
  const capacity = toNatural(command.capacity) ?? before?.capacity ?? '0'
  writeObject(step, withCounter(object, command.name, { count, capacity }))
}

export function setList(step: Step, command: CommandOf<'setList'>): void {
  const { object } = step.state
  const before = own(object.status.lists, command.name)
  const values = command.values ?? before?.values ?? []
  const capacity = toNatural(command.capacity) ?? before?.capacity ?? String(values.length)
  writeObject(step, withList(object, command.name, { capacity, values: [...values] }))
}

export function deleteObject(step: Step, command: CommandOf<'delete' | 'terminate'>): string | undefined {
  const { graceMs = defaultGrace } = command
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
export function restart(step: Step, fresh: boolean): void {
  const { config, object, gone, ending, restarts, reservedUntil, gameCalled } = step.state
  update(step, { restarts: restarts + 1, watchers: [] })
  // The object of local mode is the process's own, so it starts over as the same one.
  if (config.mode === 'local') return begin(step, initialGameServer(config, step.now), 'restart')
  if (fresh || gone) return startFresh(step, ending?.reason ?? 'restart')
  // The kubelet probes a container that has started again at once, whether the game calls or not.
  const process = createProcess(config, object, step.now, gameCalled)
  // The object carries the end of a reservation, so the new process goes on with it.
  update(step, { process: object.status.state === 'Reserved' ? { ...process, reserveEnds: reservedUntil } : process })
}

/** Replaces the manifest, as when its file was saved. A deleted GameServer is replaced by a fresh one. */
export function reload(step: Step, manifest: GameServerManifest): void {
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
