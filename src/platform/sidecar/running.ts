import { longestTimer } from '../../protocol/names.js'
import { createLog, type WritableLog } from './event-log.js'
import { callSafely, createListeners, type Report, throwLater } from './listeners.js'
import { nextDueWork } from './due-work.js'
import { resolveConfig, type SidecarConfig } from './state/config.js'
import type { Disconnection, Effect, SidecarEvent } from './state/events.js'
import { createState, type SidecarState } from './state/sidecar-state.js'
import { reduce } from './reduce.js'
import type { SidecarEnvironment } from './sidecar.js'
import { ConnectionDropped, createWatchers, type Watchers } from './watchers.js'

/** What the log tells of a request besides the call. */
export interface CallMeta {
  readonly client?: string | undefined
  readonly isTool?: boolean | undefined
  /** When the request came. */
  readonly began?: number
  /** A fault delayed it. */
  readonly isDelayed?: boolean
  /** Milliseconds by which a fault will delay its answer. */
  readonly lasts?: number
}

/** The mark of an event that a command of this package causes. */
export const byTool = ({ isTool }: CallMeta): { readonly tool?: true } => (isTool === true ? { tool: true } : {})

/** A sidecar with what changes: its state is as of now, and its timer is set. */
export class Running {
  readonly config: SidecarConfig
  readonly environment: SidecarEnvironment
  readonly report: Report
  readonly log: WritableLog
  readonly watchers: Watchers
  readonly delays: Delays
  readonly disconnected: ReturnType<typeof createListeners<Disconnection>>
  state: SidecarState
  isClosed = false
  /** Counts processes: a request that was sent to one isn't answered by its successor. */
  epoch = 0
  /** Queued notifications of the outside, since each may cause further events. */
  private readonly outbox: (() => void)[] = []
  private isDraining = false
  private timer: { readonly at: number; readonly cancel: () => void } | undefined

  constructor(partial: Partial<SidecarConfig>, environment: SidecarEnvironment) {
    const config = resolveConfig(partial)
    const report = environment.report ?? throwLater
    this.config = config
    this.environment = environment
    this.report = report
    this.disconnected = createListeners(report)
    this.log = createLog(config.logEntries, config.logSize, report)
    const onFailure = (id: number): void => void this.dispatch({ type: 'watch-closed', id, reason: 'failed' })
    this.watchers = createWatchers(config.watchQueue, onFailure, report)
    this.delays = createDelays((ms, fire) => environment.setTimer(Math.min(longestTimer, ms), fire))
    const now = environment.now()
    this.state = reduce(createState(config, now), { type: 'tick' }, now).state
    this.schedule()
  }

  /** Lets an event happen. Returns its effects, and the number of its entry in the log. */
  dispatch(event: SidecarEvent, meta: CallMeta = {}): { readonly effects: readonly Effect[]; readonly seq: number } {
    const { log, outbox, watchers } = this
    const at = this.environment.now()
    const before = this.state
    const { state, effects } = reduce(before, event, at)
    this.state = state
    // A timer that fired early, or after its work was done, gets no entry.
    if (event.type !== 'tick' || state !== before) {
      const { client, began, isDelayed, lasts = 0 } = meta
      const ms = began === undefined ? undefined : Math.round(at - began + lasts)
      const kept = log.append({ at, event, before, effects, client, ms, isDelayed })
      outbox.push(() => log.announce(kept))
    }
    for (const effect of effects) {
      if (effect.type === 'publish') outbox.push(() => watchers.publish(effect.gameServer))
      else if (effect.type === 'greet') outbox.push(() => watchers.greet(effect.id, effect.gameServer))
      else if (effect.type === 'end-watchers') outbox.push(() => watchers.end(effect.reason, effect.ids))
      else if (effect.type === 'disconnect') outbox.push(() => this.disconnect(effect.reason))
    }
    const isStalled = state.faults.stalledUntil !== undefined
    if (isStalled !== (before.faults.stalledUntil !== undefined)) outbox.push(() => watchers.stall(isStalled))
    this.schedule()
    const seq = log.lastSeq
    this.drain()
    return { effects, seq }
  }

  private drain(): void {
    if (this.isDraining) return
    this.isDraining = true
    for (let next = this.outbox.shift(); next; next = this.outbox.shift()) callSafely(next, undefined, this.report)
    this.isDraining = false
  }

  private disconnect(reason: Disconnection): void {
    this.epoch++
    this.watchers.end(reason)
    this.delays.rejectAll(`the sidecar ended: ${reason}`)
    this.disconnected.call(reason)
  }

  /** Sets the timer for the next due work. */
  private schedule(): void {
    const at = nextDueWork(this.state)?.at
    if (this.isClosed || at === this.timer?.at) return
    this.timer?.cancel()
    this.timer = undefined
    if (at === undefined) return
    const ms = Math.min(longestTimer, Math.max(0, at - this.environment.now()))
    const cancel = this.environment.setTimer(ms, () => {
      this.timer = undefined
      if (!this.isClosed) this.dispatch({ type: 'tick' })
    })
    this.timer = { at, cancel }
  }

  /**
   * Does what is due before anything else happens: with a late timer, a call would meet the state of the past.
   *
   * @throws ConnectionDropped if the sidecar, or the process to which a request was sent, has ended
   */
  catchUp(sentIn?: number): void {
    if (this.isClosed) throw new ConnectionDropped('the sidecar is closed')
    if (this.timer !== undefined && this.timer.at <= this.environment.now()) this.dispatch({ type: 'tick' })
    if (sentIn !== undefined && this.epoch !== sentIn) throw new ConnectionDropped('the sidecar has ended meanwhile')
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.timer?.cancel()
    this.timer = undefined
    this.watchers.end('closed')
    this.delays.rejectAll('the sidecar is closed')
  }
}

export type Delays = ReturnType<typeof createDelays>

/** The calls that faults delay. */
export function createDelays(setTimer: SidecarEnvironment['setTimer']) {
  const waiting = new Set<(error: Error) => void>()
  return {
    /** Resolves after `ms`. Rejects when the client leaves: a call without a client isn't kept. */
    wait: (ms: number, left: AbortSignal): Promise<void> =>
      new Promise((resolve, reject) => {
        const leave = (): void => end(new ConnectionDropped('the client left'))
        const forget = (): void => {
          waiting.delete(end)
          left.removeEventListener('abort', leave)
        }
        const end = (error: Error): void => {
          forget()
          cancel()
          reject(error)
        }
        const cancel = setTimer(ms, () => {
          forget()
          resolve()
        })
        waiting.add(end)
        left.addEventListener('abort', leave)
        if (left.aborted) leave()
      }),
    rejectAll(why: string): void {
      for (const reject of [...waiting]) reject(new ConnectionDropped(why))
    },
  }
}
