import { commandProblem } from './control/command-problem.js'
import { plainJson } from './control/plain-json.js'
import { createLog } from './event-log.js'
import { callEach, callSafely, throwLater } from './listeners.js'
import { messageOf } from './model/state/answer.js'
import { resolveConfig } from './model/state/config.js'
import type { SidecarConfig } from './model/state/config.js'
import type { Disconnection, Effect } from './model/state/effect.js'
import { delayOf } from './model/state/faults.js'
import type { SidecarEvent } from './model/state/sidecar-event.js'
import { excerpt } from './model/state/show.js'
import { createState } from './model/state/sidecar-state.js'
import type { SidecarState } from './model/state/sidecar-state.js'
import { reduce } from './reduce.js'
import type { Sidecar, SidecarEnvironment } from './sidecar.js'
import { createWatchers } from './watchers.js'
import { answerRequest } from './wire/answer-request.js'
import type { Engine } from './wire/answer-request.js'
import { conformanceOf, takeSnapshot } from './wire/snapshot.js'
import { ConnectionDropped } from './wire/watch-stream.js'
import type { WatchHandle, WatchSink } from './wire/watch-stream.js'

const longestTimer = 2 ** 31 - 1

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
  /** For each call that is being delayed, the function that rejects it. */
  const waiting = new Set<(error: Error) => void>()
  const onFailure = (id: number): void => void dispatch({ type: 'watch-closed', id, reason: 'failed' })
  const watchers = createWatchers(config.watchQueue, onFailure, report)

  /** Notifications of the outside in their order; each may cause further events, and so further ones. */
  const outbox: (() => void)[] = []
  let draining = false

  function dispatch(event: SidecarEvent): readonly Effect[] {
    const now = environment.now()
    const before = state
    const result = reduce(before, event, now)
    state = result.state
    // A timer that fired early, or for work that is done already, is not worth an entry.
    if (event.type !== 'tick' || state !== before) {
      const entry = log.append(event, now, result.effects)
      outbox.push(() => log.announce(entry))
    }
    for (const effect of result.effects) deliver(effect)
    if (before.faults.stalled !== state.faults.stalled) {
      const { stalled } = state.faults
      outbox.push(() => watchers.stall(stalled))
    }
    schedule(result.effects)
    drain()
    return result.effects
  }

  function deliver(effect: Effect): void {
    if (effect.type === 'publish') outbox.push(() => watchers.publish(effect.gameServer))
    else if (effect.type === 'greet') outbox.push(() => watchers.greet(effect.id, effect.gameServer))
    else if (effect.type === 'end-watchers') outbox.push(() => watchers.endAll(effect.reason))
    else if (effect.type === 'crash') outbox.push(() => void dispatch({ type: 'crashed' }))
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
    watchers.endAll(reason)
    rejectWaiting(`the sidecar ended: ${reason}`)
    callEach(disconnectListeners, reason, report)
  }

  function rejectWaiting(why: string): void {
    for (const reject of [...waiting]) reject(new ConnectionDropped(why))
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

  /** Rejects at once when the client leaves: nothing of a call may wait for nobody. */
  function wait(ms: number, left: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
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
      const cancel = environment.setTimer(Math.min(longestTimer, ms), () => {
        forget()
        resolve()
      })
      waiting.add(end)
      left.addEventListener('abort', leave)
      if (left.aborted) leave()
    })
  }

  const engineOf = (sentIn: number): Engine => ({
    bodyLimit: config.bodyLimit,
    async delay(operation, when, left) {
      const ms = delayOf(state.faults, operation, when)
      if (ms > 0) await wait(ms, left)
    },
    call(call) {
      checkEpoch(sentIn)
      const effects = dispatch({ type: 'call', call })
      const crash = effects.find((effect) => effect.type === 'crash')
      if (crash) throw new ConnectionDropped(`the sidecar crashed: ${crash.message}`)
      const reply = effects.find((effect) => effect.type === 'reply')
      if (!reply || reply.drop) throw new ConnectionDropped('the call was dropped on purpose')
      return { status: reply.status, body: reply.body }
    },
    noteRefusal(method, path, answer) {
      dispatch({
        type: 'refused',
        method: method.slice(0, 20),
        path: excerpt(path, 200),
        status: answer.status,
        message: excerpt(messageOf(answer) ?? '', 500),
      })
    },
    watch(sink) {
      checkEpoch(sentIn)
      return openWatch('stream', sink)
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

  function openWatch(transport: 'stream' | 'websocket', sink: WatchSink): WatchHandle {
    const id = nextId++
    if (closed) throw new ConnectionDropped('the sidecar is closed')
    catchUp()
    watchers.add(id, transport, environment.now(), sink)
    const refusal = dispatch({ type: 'watch-opened', id, transport }).find(({ type }) => type === 'refuse-watch')
    if (refusal?.type === 'refuse-watch') {
      watchers.remove(id)
      const { status, body } = refusal
      if (status === 0) callSafely(() => sink.onEnd?.('dropped'), undefined, report)
      else callSafely(() => sink.onError?.({ status, body: JSON.stringify(body) }), undefined, report)
    }
    return {
      close() {
        if (watchers.remove(id) && !closed) dispatch({ type: 'watch-closed', id, reason: 'closed' })
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
    watch(sink) {
      const ms = delayOf(state.faults, 'watchGameServer', 'before')
      if (ms === 0) return openWatch('websocket', sink)
      let handle: WatchHandle | undefined
      const left = new AbortController()
      wait(ms, left.signal).then(
        () => {
          if (!left.signal.aborted) handle = openWatch('websocket', sink)
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
      const problem = commandProblem(command)
      if (problem !== undefined) return { ok: false, message: problem }
      const plain = plainJson(command)
      if (plain === undefined) return { ok: false, message: 'the command is nested too deeply: more than 100 levels' }
      catchUp()
      const result = dispatch({ type: 'control', command: plain }).find(({ type }) => type === 'control-result')
      return result?.type === 'control-result' && result.ok
        ? { ok: true }
        : { ok: false, message: result?.type === 'control-result' ? result.message : 'nothing happened' }
    },
    snapshot: () => takeSnapshot(state, watchers.infos(), environment.now(), log.lastSeq),
    log,
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
      watchers.endAll('closed')
      rejectWaiting('the sidecar is closed')
    },
  }
}
