import { callSafely } from '../listeners.js'
import type { WatchEnd } from '../state/effect.js'
import { byTool, type CallMeta, type Running } from '../running.js'
import { recordResponse, type ResponseRecord } from './exchange.js'
import { ConnectionDropped, watchStream, type WatchHandle, type WatchSink } from './watch-stream.js'

/** The headers of a successful answer. */
export const success = { 'content-type': 'application/json', 'grpc-metadata-content-type': 'application/grpc' }

/** A requested watch, with the number of its entry in the log. */
interface OpenedWatch extends WatchHandle {
  readonly seq: number
}

/**
 * Opens a watch.
 *
 * @param sentIn the process to which the request was sent
 */
function openWatch(
  running: Running,
  transport: 'stream' | 'websocket',
  sink: WatchSink,
  meta: CallMeta,
  sentIn?: number,
): OpenedWatch {
  running.catchUp(sentIn)
  const { watchers, report, environment } = running
  const { client } = meta
  const id = watchers.add({ transport, openedAt: environment.now(), client, sink })
  const { effects, seq } = running.dispatch({ type: 'watch-opened', id, transport, ...byTool(meta) }, meta)
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
      if (isOpen) running.dispatch({ type: 'watch-closed', id, reason: 'closed' }, { client })
    },
  }
}

/** Opens a watch for a WebSocket, after the delay of a fault. */
export function watchByWebSocket(
  running: Running,
  sink: WatchSink,
  by: Pick<CallMeta, 'client' | 'isTool'> = {},
): WatchHandle {
  const { delays, environment, report } = running
  const ms = running.delayNow('watchGameServer', 'before')
  const meta = { ...by, began: environment.now(), delayed: ms > 0 }
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

/** Answers a request for a watch with a stream, or with its refusal. */
export async function openStream(
  running: Running,
  left: AbortSignal,
  sentIn: number,
  meta: CallMeta,
  keep: (seq: number, response?: ResponseRecord) => void,
): Promise<Response> {
  const ms = running.delayNow('watchGameServer', 'before')
  if (ms > 0) await running.delays.wait(ms, left)
  let refusal: { readonly status: number; readonly body: string } | undefined
  let isDropped = false
  let opened: OpenedWatch | undefined
  const stream = watchStream((sink) => {
    const open = { ...sink, onEnd, onError: (answer: typeof refusal) => void (refusal = answer) }
    function onEnd(reason: WatchEnd): void {
      isDropped = true
      sink.onEnd?.(reason)
    }
    return (opened = openWatch(running, 'stream', open, { ...meta, delayed: ms > 0 }, sentIn))
  })
  const { seq } = opened!
  if (refusal) {
    keep(seq, recordResponse(refusal.status, success, refusal.body))
    return new Response(refusal.body + '\n', { status: refusal.status, headers: success })
  }
  keep(seq, isDropped ? undefined : recordResponse(200, success, ''))
  if (isDropped) throw new ConnectionDropped('the watch was dropped before its first line')
  left.addEventListener('abort', () => opened?.close(), { once: true })
  return new Response(stream, { status: 200, headers: success })
}
