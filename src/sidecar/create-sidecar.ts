import { createDelays, longestTimer } from './delays.js'
import { createLog } from './event-log.js'
import type { EntryNote } from './event-log.js'
import type { EntryContext } from './log-entry.js'
import { callEach, callSafely, throwLater } from './listeners.js'
import { isBeingDeleted } from './model/state/game-server-edits.js'
import { messageOf } from './model/state/answer.js'
import { resolveConfig } from './model/state/config.js'
import type { SidecarConfig } from './model/state/config.js'
import type { ControlCommand } from './model/state/control-command.js'
import type { Disconnection, Effect } from './model/state/effect.js'
import { delayOf } from './model/state/faults.js'
import { nextRandom } from './model/state/random.js'
import type { SidecarEvent } from './model/state/sidecar-event.js'
import { excerpt } from './model/state/show.js'
import { createState } from './model/state/sidecar-state.js'
import type { SidecarState } from './model/state/sidecar-state.js'
import { createCheckpoints } from './recording/checkpoints.js'
import { toldLines } from './recording/told-lines.js'
import { reduce } from './reduce.js'
import type { Sidecar, SidecarEnvironment } from './sidecar.js'
import { createWatchers } from './watchers.js'
import { answerRequest } from './wire/answer-request.js'
import type { CallMeta, Engine } from './wire/answer-request.js'
import type { Exchange } from './wire/exchange.js'
import { conformanceOf, takeSnapshot } from './wire/snapshot.js'
import { ConnectionDropped } from './wire/watch-stream.js'
import type { WatchHandle, WatchSink } from './wire/watch-stream.js'

/** Clients whose beats share one record each; those of others have none. */
const mostBeaters = 200

/**
 * Starts a local sidecar in the given environment. Only this function holds anything that changes: it keeps the state,
 * runs `reduce()` on every event, writes the log, hands objects to watchers and wakes up when something is due.
 */
export function createSidecar(partial: Partial<SidecarConfig>, environment: SidecarEnvironment): Sidecar {
  const config = resolveConfig(partial)
  let state: SidecarState = createState(config, environment.now())
  let closed = false
  let nextId = 1
  let timer: { readonly at: number; readonly cancel: () => void } | undefined
  const report = environment.report ?? throwLater
  const log = createLog(config.logEntries, config.logSize, report)
  const disconnectListeners = new Set<(reason: Disconnection) => void>()
  /** Counts processes: what was sent to one is not for its successor. */
  let epoch = 0
  const delays = createDelays((ms, fire) => environment.setTimer(ms, fire))
  const checkpoints = createCheckpoints()
  const beats = new Map<string | undefined, Exchange>()
  /** The generator of delays that come at random. They change when events happen, not what they do. */
  let randomState = config.seed | 0
  const onFailure = (id: number): void => void dispatch({ type: 'watch-closed', id, reason: 'failed' })
  const watchers = createWatchers(config.watchQueue, onFailure, report)

  /** Notifications of the outside in their order; each may cause further events, and so further ones. */
  const outbox: (() => void)[] = []
  let draining = false

  function random(): number {
    const { state: next, value } = nextRandom(randomState)
    randomState = next
    return value
  }

  /** Lets an event happen. Returns its effects, and the number of its entry in the log. */
  function dispatch(
    event: SidecarEvent,
    meta?: CallMeta,
  ): { readonly effects: readonly Effect[]; readonly seq: number } {
    const now = environment.now()
    const before = state
    const result = reduce(before, event, now)
    state = result.state
    // A timer that fired early, or for work that is done already, is not worth an entry.
    if (event.type !== 'tick' || state !== before) {
      checkpoints.note(log.lastSeq + 1, before, log.lastSeq - config.logEntries)
      const context = contextOf(event, before, result.effects, meta)
      const entry = log.append(event, now, result.effects, meta && noteOf(meta, now), context)
      outbox.push(() => log.announce(entry, result.effects))
    }
    for (const effect of result.effects) deliver(effect)
    if (before.faults.stalled !== state.faults.stalled) {
      const { stalled } = state.faults
      outbox.push(() => watchers.stall(stalled))
    }
    schedule(result.effects)
    const seq = log.lastSeq
    drain()
    return { effects: result.effects, seq }
  }

  function deliver(effect: Effect): void {
    if (effect.type === 'publish') outbox.push(() => watchers.publish(effect.gameServer))
    else if (effect.type === 'greet') outbox.push(() => watchers.greet(effect.id, effect.gameServer))
    else if (effect.type === 'end-watchers') outbox.push(() => watchers.end(effect.reason, effect.ids))
    else if (effect.type === 'disconnect') outbox.push(() => disconnect(effect.reason))
  }

  function drain(): void {
    if (draining) return
    draining = true
    for (let next = outbox.shift(); next; next = outbox.shift()) callSafely(next, undefined, report)
    draining = false
  }

  function disconnect(reason: Disconnection): void {
    epoch++
    watchers.end(reason)
    delays.rejectAll(`the sidecar ended: ${reason}`)
    callEach(disconnectListeners, reason, report)
  }

  function schedule(effects: readonly Effect[]): void {
    const wake = effects.find((effect) => effect.type === 'wake')
    if (closed || wake?.at === timer?.at) return
    timer?.cancel()
    timer = undefined
    if (!wake) return
    const ms = Math.min(longestTimer, Math.max(0, wake.at - environment.now()))
    const cancel = environment.setTimer(ms, () => {
      timer = undefined
      if (!closed) dispatch({ type: 'tick' })
    })
    timer = { at: wake.at, cancel }
  }

  const engineOf = (sentIn: number): Engine => ({
    bodyLimit: config.bodyLimit,
    now: () => environment.now(),
    delay: (operation, when) => delayOf(state.faults, operation, when, random),
    wait: (ms, left) => delays.wait(ms, left),
    call(call, meta) {
      checkEpoch(sentIn)
      const { effects, seq } = dispatch({ type: 'call', call }, meta)
      meta.onEntry?.(seq)
      const reply = effects.find((effect) => effect.type === 'reply')
      if (!reply || reply.drop) throw new ConnectionDropped('the call was dropped on purpose')
      return reply
    },
    noteRefusal(method, path, answer, meta) {
      const { seq } = dispatch(
        {
          type: 'refused',
          method: method.slice(0, 20),
          path: excerpt(path, 200),
          status: answer.status,
          message: excerpt(messageOf(answer) ?? '', 500),
        },
        meta,
      )
      meta.onEntry?.(seq)
    },
    keep: (seq, exchange) => log.keepExchange(seq, exchange, environment.now()),
    keepBeat(seq, client, exchange) {
      let shared = beats.get(client)
      // One that made room would be made anew with each beat, by as many clients as there are.
      if (shared === undefined && beats.size === mostBeaters) return
      if (shared === undefined) beats.set(client, (shared = exchange()))
      log.keepShared(seq, shared)
    },
    watch(sink, meta) {
      checkEpoch(sentIn)
      return openWatch('stream', sink, meta)
    },
  })

  /** Does what is due before anything else happens: a timer may be late, and a call must not meet the next GameServer. */
  function catchUp(): void {
    if (!closed && timer !== undefined && timer.at <= environment.now()) dispatch({ type: 'tick' })
  }

  /** @throws ConnectionDropped if the process to which a request was sent has ended */
  function checkEpoch(sentIn: number): void {
    if (closed) throw new ConnectionDropped('the sidecar is closed')
    catchUp()
    if (epoch !== sentIn) throw new ConnectionDropped('the sidecar has ended meanwhile')
  }

  function openWatch(transport: 'stream' | 'websocket', sink: WatchSink, meta: CallMeta): WatchHandle {
    const id = nextId++
    if (closed) throw new ConnectionDropped('the sidecar is closed')
    catchUp()
    const { client } = meta
    watchers.add(id, { transport, openedAt: environment.now(), client, sink })
    const { effects, seq } = dispatch({ type: 'watch-opened', id, transport }, meta)
    meta.onEntry?.(seq)
    const refusal = effects.find(({ type }) => type === 'refuse-watch')
    if (refusal?.type === 'refuse-watch') {
      watchers.remove(id)
      const { status, body } = refusal
      if (status === 0) callSafely(() => sink.onEnd?.('dropped'), undefined, report)
      else callSafely(() => sink.onError?.({ status, body: JSON.stringify(body) }), undefined, report)
    }
    return {
      close() {
        if (watchers.remove(id) && !closed) dispatch({ type: 'watch-closed', id, reason: 'closed' }, { client })
      },
    }
  }

  schedule(reduce(state, { type: 'tick' }, state.startedAt).effects)

  return {
    async handle(request, raw) {
      if (closed) throw new ConnectionDropped('the sidecar is closed')
      catchUp()
      return answerRequest(engineOf(epoch), request, raw)
    },
    watch(sink, client) {
      const ms = delayOf(state.faults, 'watchGameServer', 'before', random)
      const meta = { client, began: environment.now(), delayed: ms > 0 }
      if (ms === 0) return openWatch('websocket', sink, meta)
      let handle: WatchHandle | undefined
      const left = new AbortController()
      delays.wait(ms, left.signal).then(
        () => {
          if (!left.signal.aborted) handle = openWatch('websocket', sink, meta)
        },
        () => {
          if (!left.signal.aborted) callSafely(() => sink.onEnd?.('restart'), undefined, report)
        },
      )
      return {
        close() {
          left.abort()
          handle?.close()
        },
      }
    },
    control(command) {
      if (closed) return { ok: false, message: 'the sidecar is closed' }
      catchUp()
      const result = dispatch({ type: 'control', command: plainJson(command) }).effects.find(
        ({ type }) => type === 'control-result',
      )
      return result?.type === 'control-result' && result.ok
        ? { ok: true }
        : { ok: false, message: result?.type === 'control-result' ? result.message : 'nothing happened' }
    },
    show(gameServer) {
      if (!closed) dispatch({ type: 'shown', gameServer })
    },
    snapshot: () =>
      takeSnapshot(state, watchers.infos(), {
        now: environment.now(),
        lastSeq: log.lastSeq,
        speed: environment.speed?.() ?? 1,
        recording: environment.recording?.(),
      }),
    log,
    config,
    recording: (since = 0) => toldLines(log, checkpoints, state, since, environment.now()),
    conformance: () => conformanceOf(state),
    onDisconnect(listener) {
      const own = (reason: Disconnection): void => listener(reason)
      disconnectListeners.add(own)
      return () => void disconnectListeners.delete(own)
    },
    close() {
      if (closed) return
      closed = true
      timer?.cancel()
      timer = undefined
      watchers.end('closed')
      delays.rejectAll('the sidecar is closed')
    },
  }
}

/** A copy that can be logged and sent: JSON has no bigints. */
function plainJson(command: ControlCommand): ControlCommand {
  const toText = (_key: string, item: unknown): unknown => (typeof item === 'bigint' ? String(item) : item)
  return JSON.parse(JSON.stringify(command, toText)) as ControlCommand
}

function noteOf({ client, began, delayed, lasts = 0 }: CallMeta, now: number): EntryNote {
  return { client, ms: began === undefined ? undefined : Math.round(now - began + lasts), fault: delayed === true }
}

/** What `explain` needs. A beat needs nothing: it is the one call that comes by the thousand. */
function contextOf(
  event: SidecarEvent,
  before: SidecarState,
  effects: readonly Effect[],
  meta: CallMeta | undefined,
): EntryContext | undefined {
  const faults: string[] = []
  for (const effect of effects) if (effect.type === 'fault') faults.push(effect.rule)
  if (meta?.delayed === true) faults.push('delayCalls held it up')
  const isBeat = event.type === 'call' && event.call.operation === 'health'
  if (isBeat && faults.length === 0) return undefined
  return { state: before.object.status.state, ending: before.gone || isBeingDeleted(before.object), faults }
}
