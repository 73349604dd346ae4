import type { GameServer, ListStatus } from '../../protocol/game-server.js'
import { annotationLimit, metadataKey } from '../../protocol/names.js'
import { applyCounter } from './calls/counters.js'
import { applyList } from './calls/lists.js'
import { byteLength } from './calls/metadata-rules.js'
import { requestState, requestUnhealthy } from './calls/write-queue.js'
import { CONTROLLER_MS, WRITE_MS, type SidecarConfig } from './state/config.js'
import type { Change, EndReason } from './state/events.js'
import {
  changeEach,
  isBeingDeleted,
  isFinal,
  isMarked,
  sorted,
  withLastAllocated,
  withMetadata,
  withState,
} from './state/game-server.js'
import { generatedName, initialGameServer, seconds, uidOf } from './state/initial-game-server.js'
import { createHealth, healthSpecOf, stateOfNew } from './state/sidecar-state.js'
import type { PendingList, SidecarState, WriteKind } from './state/sidecar-state.js'
import { nextVersion, prefixOf, record, update, updateFaults, updateProcess, warn, writeObject } from './state/step.js'
import type { Step } from './state/step.js'

const writeKinds: readonly WriteKind[] = ['state', 'labels', 'annotations', 'counters', 'lists']

/** Work that no event asks for. The step's time is when it was due; `until` is the present. */
type Work = (step: Step, until: number) => void

/** The next due work and its time; undefined if there is none. */
export function nextDueWork(state: SidecarState): { readonly work: Work; readonly at: number } | undefined {
  const { process, faults, apiServerBackAt, ending } = state
  const write = (kind: WriteKind): [Work, number | undefined] => [(step) => applyWrite(step, kind), process.due[kind]]
  const needsApiServer: readonly (readonly [Work, number | undefined])[] = [
    [vanish, state.goneAt],
    [endObject, ending?.nextAt],
    [replace, ending?.replacesAt],
    ...writeKinds.map(write),
    [becomeReady, state.readyAt],
  ]
  const all: readonly (readonly [Work, number | undefined])[] = [
    ...(apiServerBackAt === undefined ? needsApiServer : []),
    [bringApiServerBack, apiServerBackAt],
    [endReservation, process.reserveEnds],
    [checkHealth, process.health.nextCheck],
    [releaseWatchers, faults.stalledUntil],
  ]
  let next: { work: Work; at: number } | undefined
  for (const [work, at = Infinity] of all) if (at < (next?.at ?? Infinity)) next = { work, at }
  return next
}

/** Does everything that is due by now, in order. */
export function doDueWork(step: Step): void {
  const until = step.now
  for (let next = nextDueWork(step.state); next && next.at <= until; next = nextDueWork(step.state)) {
    step.now = next.at
    next.work(step, until)
    followObject(step)
  }
  step.now = until
}

function vanish(step: Step): void {
  update(step, { gone: true, goneAt: undefined })
  step.effects.push({ type: 'change', change: { type: 'gone' } })
}

export function releaseWatchers(step: Step): void {
  updateFaults(step, { stalledUntil: undefined })
}

/** Turns RequestReady into Ready, as the platform's controller does. */
function becomeReady(step: Step): void {
  update(step, { readyAt: undefined })
  const { object, gone } = step.state
  if (object.status.state !== 'RequestReady' || isBeingDeleted(object) || gone) return
  writeObject(step, withState(object, 'Ready'))
}

/** The timer asks for Ready whatever the state is by then. In a pod, only a final state ignores it. */
function endReservation(step: Step): void {
  updateProcess(step, { reserveEnds: undefined })
  const { config, object } = step.state
  if (config.mode === 'local') record(step, 'ready')
  else if (isFinal(object)) return
  requestState(step, 'Ready')
}

/** Brings the API server back: the writes that waited for it are applied in the order in which they were due. */
export function bringApiServerBack(step: Step): void {
  const { now } = step
  const { apiServerBackAt, process } = step.state
  if (apiServerBackAt === undefined) return
  update(step, { apiServerBackAt: undefined })
  const waiting = (Object.entries(process.due) as [WriteKind, number][]).filter(([, at]) => at <= now)
  for (const [kind] of waiting.sort(([, a], [, b]) => a - b)) applyWrite(step, kind)
  // The platform's controllers couldn't reach the API server either: their work resumes now.
  const { goneAt, readyAt, ending } = step.state
  update(step, {
    goneAt: later(goneAt, now),
    readyAt: later(readyAt, now),
    ending: ending && { ...ending, nextAt: later(ending.nextAt, now), replacesAt: later(ending.replacesAt, now) },
  })
}

const later = (at: number | undefined, now: number): number | undefined =>
  at === undefined ? undefined : Math.max(at, now)

/** Applies the queued write of one kind, as the real sidecar's worker does. */
function applyWrite(step: Step, kind: WriteKind): void {
  const { [kind]: _, ...due } = step.state.process.due
  updateProcess(step, { due })
  if (step.state.gone) return
  if (kind === 'state') writeState(step)
  else if (kind === 'labels' || kind === 'annotations') writeMetadata(step, kind)
  else writeValues(step, kind)
}

function writeState(step: Step): void {
  const { process, object, config, reservedUntil } = step.state
  if (process.wantedState === '' || isFinal(object)) return
  if (process.undoesAllocation && object.status.state === 'Allocated') {
    warn(
      step,
      'ready-undoes-allocation',
      'A ready() from before the allocation is written only now and takes the GameServer back to Ready: ' +
        'the next match is sent to it while this one is on. ' +
        'Call ready() once when the game has started and once after each match, never while Ready and never in a loop.',
    )
  }
  updateProcess(step, { undoesAllocation: false })
  const limited = process.wantedState === 'Reserved' && process.reserveFor !== undefined
  const until = limited ? step.now + process.reserveFor : undefined
  let next = withState(object, process.wantedState)
  if (process.wantedState === 'Allocated') next = withLastAllocated(next, config.platform, step.now)
  update(step, { reservedUntil: until })
  writeObject(step, next, until !== reservedUntil)
  if (process.wantedState === 'RequestReady') update(step, { readyAt: step.now + CONTROLLER_MS })
  if (until !== undefined) updateProcess(step, { reserveEnds: until })
}

/** Writes labels or annotations without invalid keys and those over a cluster's limit. */
function writeMetadata(step: Step, kind: 'labels' | 'annotations'): void {
  const { process, object } = step.state
  const texts = new Map(Object.entries(object.object_meta[kind] ?? {}))
  let size = [...texts].reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0)
  for (const [key, value] of Object.entries(process[kind])) {
    if (!metadataKey.test(key)) continue
    const whole = prefixOf(step.state) + key
    const before = texts.get(whole)
    const added = byteLength(value) + (before === undefined ? byteLength(whole) : -byteLength(before))
    if (kind === 'annotations' && size + added > annotationLimit) {
      warn(
        step,
        'annotations-too-large',
        `The annotations are over ${annotationLimit} bytes in all: ` +
          'in production none is written any more until the sidecar restarts.',
      )
      continue
    }
    texts.set(whole, value)
    size += added
  }
  writeObject(step, withMetadata(object, kind, sorted([...texts])))
}

function writeValues(step: Step, kind: 'counters' | 'lists'): void {
  const { process, object } = step.state
  const { counters, lists } = object.status
  const written =
    kind === 'counters'
      ? { counters: changeEach(counters, process.counters, applyCounter) }
      : { lists: changeEach<ListStatus, PendingList>(lists, process.lists, applyList) }
  updateProcess(step, { [kind]: {} })
  writeObject(step, { ...object, status: { ...object.status, ...written } })
}

/** Starts the health clock at a game's first call. In a pod, the kubelet's first probe starts it. */
export function startHealthClock(step: Step): void {
  const { config, object, gameCalled } = step.state
  if (gameCalled) return
  update(step, { gameCalled: true })
  updateProcess(step, { health: createHealth(config, object, step.now, true) })
}

/**
 * Moves the health clock along when the sidecar's clock is put forward by `ms`, since a game that beats can't beat in
 * the skipped time. A game that is silent already, or whose beats are ignored, is counted as before.
 */
export function forgiveSkippedTime(step: Step, ms: number): void {
  const { config, faults, process, object } = step.state
  const { health } = process
  const beats = health.beats > 0 && step.now - health.lastBeat <= healthSpecOf(object).periodSeconds * 1000
  if (config.sharesClock || faults.beatsToIgnore > 0 || !beats || health.nextCheck === undefined) return
  updateProcess(step, { health: { ...health, lastBeat: health.lastBeat + ms, nextCheck: health.nextCheck + ms } })
}

/**
 * Checks one period for a beat. Skips the checks that a sleeping machine missed: the real sidecar's clock sleeps with
 * the machine.
 */
function checkHealth(step: Step, until: number): void {
  const { process, object } = step.state
  const { health } = process
  const { periodSeconds, failureThreshold } = healthSpecOf(object)
  const period = periodSeconds * 1000
  const time = step.now + Math.floor((until - step.now) / period) * period
  const silence = time - health.lastBeat
  const failed = silence >= period
  const failures = failed ? health.failures + 1 : health.failures
  updateProcess(step, { health: { ...health, failures, nextCheck: time + period } })
  if (isFinal(object)) return
  if (failed) {
    warn(
      step,
      'health-failure',
      `No health beat for ${Math.floor(silence / 1000)} s: failure ${failures} of ${failureThreshold}` +
        (failures < failureThreshold ? '.' : ', the GameServer becomes Unhealthy.'),
    )
  }
  if (failures >= failureThreshold) requestUnhealthy(step, time + WRITE_MS)
}

/** Schedules the platform's reaction to the GameServer's present state. */
export function followObject(step: Step): void {
  const { now } = step
  const { config, object, goneAt, ending } = step.state
  const present = endReason(step.state)
  if (present === undefined) {
    if (ending !== undefined) update(step, { ending: undefined })
    return
  }
  // An Unhealthy GameServer becomes Shutdown later: the first reason counts.
  const reason = ending?.reason ?? present
  // An Unhealthy GameServer without a Fleet stays Unhealthy.
  const isHandled = object.status.state === 'Shutdown' || config.replaceAfter !== undefined
  const nextAt = isMarked(object) || !isHandled ? undefined : (ending?.nextAt ?? now + CONTROLLER_MS)
  const replacesAt =
    ending?.replacesAt ??
    // A Fleet counts a deleted GameServer until its pod is gone.
    (config.replaceAfter === undefined ? undefined : Math.max(now + config.replaceAfter, goneAt ?? now))
  if (ending?.nextAt === nextAt && ending?.replacesAt === replacesAt && ending?.reason === reason) return
  update(step, { ending: { reason, nextAt, replacesAt } })
}

/** Why the GameServer has ended; undefined if it hasn't. Local mode has no platform that would end it. */
function endReason({ config, object, gone, goneAt }: SidecarState): EndReason | undefined {
  if (config.mode === 'local') return undefined
  if (gone || goneAt !== undefined) return 'deleted'
  return (['Shutdown', 'Unhealthy'] as const).find((state) => state === object.status.state)
}

/** Takes the platform's next step: from Unhealthy to Shutdown, and from Shutdown to the deletion timestamp. */
function endObject(step: Step): void {
  const { ending, object } = step.state
  if (ending !== undefined) update(step, { ending: { ...ending, nextAt: undefined } })
  if (object.status.state === 'Shutdown') markDeleted(step)
  else writeObject(step, withState(object, 'Shutdown'))
}

/** Sets the deletion timestamp. */
export function markDeleted(step: Step): void {
  const { object } = step.state
  writeObject(step, { ...object, object_meta: { ...object.object_meta, deletion_timestamp: seconds(step.now) } }, true)
}

type ReplacementReason = Extract<Change, { readonly type: 'replaced' }>['reason']

/** Replaces the GameServer by a fresh one with its own sidecar, and cuts every connection. */
export function replace(step: Step): void {
  startFresh(step, step.state.ending?.reason ?? 'deleted')
  step.effects.push({ type: 'disconnect', reason: 'replaced' })
}

/** Forgets the GameServer, and starts for a fresh one. */
export function startFresh(step: Step, reason: ReplacementReason): void {
  const { config, object } = step.state
  begin(step, freshGameServer(config, object, step.now), reason)
}

/** Starts for a GameServer that takes the place of the present one. */
export function begin(step: Step, object: GameServer, reason: ReplacementReason): void {
  const names = { previous: step.state.object.object_meta.name, name: object.object_meta.name }
  step.effects.push({ type: 'change', change: { type: 'replaced', reason, ...names } })
  update(step, stateOfNew(step.state.config, object, step.now))
}

/**
 * The GameServer that a Fleet creates in place of another: from the same manifest, with its own name and uid. Both
 * derive from the time and the uid before, so that the same events make the same ones.
 */
function freshGameServer(config: SidecarConfig, previous: GameServer, now: number): GameServer {
  const object = initialGameServer(config, now)
  const seed = `${previous.object_meta.uid} ${now}`
  return {
    ...object,
    object_meta: {
      ...object.object_meta,
      name: generatedName(object.object_meta.name, seed),
      uid: uidOf(seed),
      // A cluster counts versions across all its objects.
      resource_version: nextVersion(previous.object_meta.resource_version),
      generation: '1',
      creation_timestamp: seconds(now),
      deletion_timestamp: '0',
    },
    status: { ...object.status, state: 'Scheduled' },
  }
}
