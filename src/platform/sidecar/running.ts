import type { OperationName } from '../../protocol/operations.js'
import { longestTimer } from '../../protocol/names.js'
import { createDelays, type Delays } from './delays.js'
import { createLog, type WritableLog } from './event-log.js'
import { callEach, callSafely, throwLater, type Report } from './listeners.js'
import { resolveConfig, type SidecarConfig } from './state/config.js'
import type { Disconnection, Effect } from './state/effect.js'
import { createRandom, delayOf } from './state/faults.js'
import type { SidecarEvent } from './state/sidecar-event.js'
import { createState, type SidecarState } from './state/sidecar-state.js'
import { reduce } from './reduce.js'
import type { SidecarEnvironment } from './sidecar.js'
import { createWatchers, type Watchers } from './watchers.js'
import { ConnectionDropped } from './wire/watch-stream.js'

/** What the log tells of a request besides the call. */
export interface CallMeta {
  readonly client?: string | undefined
  readonly isTool?: boolean | undefined
  /** When the request came. */
  readonly began?: number
  /** A fault delayed it. */
  readonly delayed?: boolean
  /** Milliseconds by which a fault will delay its answer. */
  readonly lasts?: number
}

/** The mark of an event that a command of this package causes. */
export const byTool = ({ isTool }: CallMeta): { readonly tool?: true } => (isTool === true ? { tool: true } : {})

/** The mutable part of a running sidecar. Only the functions of this file change it. */
export interface Running {
  readonly config: SidecarConfig
  readonly environment: SidecarEnvironment
  readonly report: Report
  readonly log: WritableLog
  readonly watchers: Watchers
  readonly delays: Delays
  readonly disconnectListeners: Set<(reason: Disconnection) => void>
  /** Queued notifications of the outside, since each may cause further events. */
  readonly outbox: (() => void)[]
  isDraining: boolean
  isClosed: boolean
  state: SidecarState
  timer: { readonly at: number; readonly cancel: () => void } | undefined
  /** Counts processes: a request that was sent to one isn't answered by its successor. */
  epoch: number
  /** The last two clients that sent beats in turn, and how often they took turns. */
  beaters: { readonly before: string | undefined; readonly last: string | undefined; readonly turns: number }
  /** The random numbers of delays. They change the time of events, not their effects. */
  readonly random: () => number
}

/** Starts a sidecar: its state is as of now, and its timer is set. */
export function startRunning(partial: Partial<SidecarConfig>, environment: SidecarEnvironment): Running {
  const config = resolveConfig(partial)
  const report = environment.report ?? throwLater
  const running: Running = {
    config,
    environment,
    report,
    log: createLog(config.logEntries, config.logSize, report),
    watchers: createWatchers(
      config.watchQueue,
      (id) => void dispatch(running, { type: 'watch-closed', id, reason: 'failed' }),
      report,
    ),
    delays: createDelays((ms, fire) => environment.setTimer(Math.min(longestTimer, ms), fire)),
    disconnectListeners: new Set(),
    outbox: [],
    isDraining: false,
    isClosed: false,
    state: createState(config, environment.now()),
    timer: undefined,
    epoch: 0,
    beaters: { before: undefined, last: undefined, turns: 0 },
    random: createRandom(config.seed),
  }
  schedule(running, reduce(running.state, { type: 'tick' }, running.state.startedAt).effects)
  return running
}

/** Lets an event happen. Returns its effects, and the number of its entry in the log. */
export function dispatch(
  running: Running,
  event: SidecarEvent,
  meta: CallMeta = {},
): { readonly effects: readonly Effect[]; readonly seq: number } {
  const { log, outbox, watchers, environment } = running
  const at = environment.now()
  const before = running.state
  const rivals = event.type === 'call' && event.call.operation === 'health' ? rivalsOf(running, meta) : undefined
  const { state, effects } = reduce(before, event.type === 'call' && rivals ? { ...event, rivals } : event, at)
  running.state = state
  // A timer that fired early, or after its work was done, gets no entry.
  if (event.type !== 'tick' || state !== before) {
    const { client, began, delayed, lasts = 0 } = meta
    const ms = began === undefined ? undefined : Math.round(at - began + lasts)
    const kept = log.append({ at, event, before, effects, client, ms, delayed })
    outbox.push(() => log.announce(kept))
  }
  for (const effect of effects) deliver(running, effect)
  const isStalled = state.faults.stalledUntil !== undefined
  if (isStalled !== (before.faults.stalledUntil !== undefined)) outbox.push(() => watchers.stall(isStalled))
  schedule(running, effects)
  const seq = log.lastSeq
  drain(running)
  return { effects, seq }
}

/** The two clients that send beats in turn, the first time that this is sure, and where the host can tell them apart. */
function rivalsOf(running: Running, { client, isTool }: CallMeta): readonly [string, string] | undefined {
  const { before, last, turns } = running.beaters
  if (client === undefined || isTool === true || client === last) return undefined
  running.beaters = { before: last, last: client, turns: client === before ? turns + 1 : 0 }
  return turns === 1 && client === before && last !== undefined ? [last, client] : undefined
}

function deliver(running: Running, effect: Effect): void {
  const { outbox, watchers } = running
  if (effect.type === 'publish') outbox.push(() => watchers.publish(effect.gameServer))
  else if (effect.type === 'greet') outbox.push(() => watchers.greet(effect.id, effect.gameServer))
  else if (effect.type === 'end-watchers') outbox.push(() => watchers.end(effect.reason, effect.ids))
  else if (effect.type === 'disconnect') outbox.push(() => disconnect(running, effect.reason))
}

function drain(running: Running): void {
  if (running.isDraining) return
  running.isDraining = true
  const { outbox, report } = running
  for (let next = outbox.shift(); next; next = outbox.shift()) callSafely(next, undefined, report)
  running.isDraining = false
}

function disconnect(running: Running, reason: Disconnection): void {
  running.epoch++
  running.watchers.end(reason)
  running.delays.rejectAll(`the sidecar ended: ${reason}`)
  callEach(running.disconnectListeners, reason, running.report)
}

function schedule(running: Running, effects: readonly Effect[]): void {
  const { environment, timer } = running
  const wake = effects.find((effect) => effect.type === 'wake')
  if (running.isClosed || wake?.at === timer?.at) return
  timer?.cancel()
  running.timer = undefined
  if (!wake) return
  const ms = Math.min(longestTimer, Math.max(0, wake.at - environment.now()))
  const cancel = environment.setTimer(ms, () => {
    running.timer = undefined
    if (!running.isClosed) dispatch(running, { type: 'tick' })
  })
  running.timer = { at: wake.at, cancel }
}

/**
 * Does what is due before anything else happens: with a late timer, a call would meet the state of the past.
 *
 * @throws ConnectionDropped if the sidecar, or the process to which a request was sent, has ended
 */
export function catchUp(running: Running, sentIn?: number): void {
  if (running.isClosed) throw new ConnectionDropped('the sidecar is closed')
  const { timer, environment } = running
  if (timer !== undefined && timer.at <= environment.now()) dispatch(running, { type: 'tick' })
  if (sentIn !== undefined && running.epoch !== sentIn) throw new ConnectionDropped('the sidecar has ended meanwhile')
}

/** How long faults delay a call now. */
export function delayNow(running: Running, operation: OperationName, when: 'before' | 'after'): number {
  return delayOf(running.state.faults, operation, when, running.random)
}

/** Ends every watcher and timer, for good. */
export function closeRunning(running: Running): void {
  if (running.isClosed) return
  running.isClosed = true
  running.timer?.cancel()
  running.timer = undefined
  running.watchers.end('closed')
  running.delays.rejectAll('the sidecar is closed')
}
