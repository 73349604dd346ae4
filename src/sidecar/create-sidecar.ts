import { callSafely } from './listeners.js'
import type { SidecarConfig } from './model/state/config.js'
import type { ControlCommand } from './model/state/control-command.js'
import type { Disconnection } from './model/state/effect.js'
import { messageOf } from './model/state/answer.js'
import { excerpt } from './model/state/show.js'
import { recordingLines } from './recording/recording-lines.js'
import { catchUp, closeRunning, delayNow, dispatch, startRunning } from './running.js'
import type { Running } from './running.js'
import type { ControlResult, Sidecar, SidecarEnvironment } from './sidecar.js'
import { answerRequest } from './wire/answer-request.js'
import type { CallMeta, Engine, OpenedWatch } from './wire/answer-request.js'
import { conformanceOf, takeSnapshot } from './wire/snapshot.js'
import type { WatchHandle, WatchSink } from './wire/watch-stream.js'

/**
 * Starts a local sidecar in the given environment. It keeps the state, runs `reduce()` on every event, writes the log,
 * hands objects to watchers and wakes up when something is due.
 */
export function createSidecar(partial: Partial<SidecarConfig>, environment: SidecarEnvironment): Sidecar {
  const running = startRunning(partial, environment)
  const { config, log, watchers, disconnectListeners } = running
  return {
    async handle(request, raw) {
      catchUp(running)
      return answerRequest(engineOf(running), request, raw)
    },
    watch: (sink, client) => watchByWebSocket(running, sink, client),
    control: (command) => control(running, command),
    show(gameServer) {
      if (!running.isClosed) dispatch(running, { type: 'shown', gameServer })
    },
    snapshot: () =>
      takeSnapshot(running.state, watchers.infos(), {
        now: environment.now(),
        lastSeq: log.lastSeq,
        speed: environment.speed?.() ?? 1,
        recording: environment.recording?.(),
      }),
    log,
    config,
    recording(since = 0) {
      const { config, startedAt } = running.state
      return recordingLines(config, startedAt, environment.now(), log.kept(since))
    },
    conformance: () => conformanceOf(running.state),
    onDisconnect(listener) {
      const own = (reason: Disconnection): void => listener(reason)
      disconnectListeners.add(own)
      return () => void disconnectListeners.delete(own)
    },
    close: () => closeRunning(running),
  }
}

/** What answering a request needs of a sidecar. */
function engineOf(running: Running): Engine {
  const { config, environment, delays, log, epoch } = running
  return {
    bodyLimit: config.bodyLimit,
    now: () => environment.now(),
    delay: (operation, when) => delayNow(running, operation, when),
    wait: (ms, left) => delays.wait(ms, left),
    call(call, meta) {
      catchUp(running, epoch)
      const { effects, seq } = dispatch(running, { type: 'call', call }, meta)
      const reply = effects.find((effect) => effect.type === 'reply')
      return { seq, answer: reply?.drop === false ? reply : undefined }
    },
    noteRefusal(method, path, answer, meta) {
      const { status } = answer
      const message = excerpt(messageOf(answer) ?? '', 500)
      const shown = { method: method.slice(0, 20), path: excerpt(path, 200) }
      return dispatch(running, { type: 'refused', ...shown, status, message }, meta).seq
    },
    keep: (seq, exchange) => log.keepExchange(seq, exchange, environment.now()),
    watch: (sink, meta) => openWatch(running, 'stream', sink, meta, epoch),
  }
}

function openWatch(
  running: Running,
  transport: 'stream' | 'websocket',
  sink: WatchSink,
  meta: CallMeta,
  sentIn?: number,
): OpenedWatch {
  catchUp(running, sentIn)
  const { watchers, report, environment } = running
  const { client } = meta
  const id = watchers.add({ transport, openedAt: environment.now(), client, sink })
  const { effects, seq } = dispatch(running, { type: 'watch-opened', id, transport }, meta)
  const refusal = effects.find((effect) => effect.type === 'refuse-watch')
  if (refusal !== undefined) {
    watchers.remove(id)
    const { status, body } = refusal
    if (status === 0) callSafely(() => sink.onEnd?.('dropped'), undefined, report)
    else callSafely(() => sink.onError?.({ status, body: JSON.stringify(body) }), undefined, report)
  }
  return {
    seq,
    close() {
      const isOpen = watchers.remove(id) && !running.isClosed
      if (isOpen) dispatch(running, { type: 'watch-closed', id, reason: 'closed' }, { client })
    },
  }
}

function watchByWebSocket(running: Running, sink: WatchSink, client: string | undefined): WatchHandle {
  const { delays, environment, report } = running
  const ms = delayNow(running, 'watchGameServer', 'before')
  const meta = { client, began: environment.now(), delayed: ms > 0 }
  if (ms === 0) return openWatch(running, 'websocket', sink, meta)
  let handle: WatchHandle | undefined
  const left = new AbortController()
  delays.wait(ms, left.signal).then(
    () => {
      if (!left.signal.aborted) handle = openWatch(running, 'websocket', sink, meta)
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
}

function control(running: Running, command: ControlCommand): ControlResult {
  if (running.isClosed) return { ok: false, message: 'the sidecar is closed' }
  catchUp(running)
  const { effects } = dispatch(running, { type: 'control', command: plainJson(command) })
  const result = effects.find((effect) => effect.type === 'control-result')
  return result?.ok === true ? { ok: true } : { ok: false, message: result?.message ?? 'nothing happened' }
}

/** A copy that can be logged and sent: JSON has no bigints. */
function plainJson(command: ControlCommand): ControlCommand {
  const toText = (_key: string, item: unknown): unknown => (typeof item === 'bigint' ? String(item) : item)
  return JSON.parse(JSON.stringify(command, toText)) as ControlCommand
}
