import { callSafely } from '../listeners.js'
import { byTool, type CallMeta, type Running } from '../running.js'
import { recordResponse, type ResponseRecord } from './exchange.js'
import { ConnectionDropped, createLines, type WatchHandle, type WatchSink } from './watch-stream.js'

/** The headers of a successful answer. */
export const success = { 'content-type': 'application/json', 'grpc-metadata-content-type': 'application/grpc' }

interface OpenedWatch extends WatchHandle {
  /** The number of its entry in the log. */
  readonly seq: number
  /** Why it isn't open; the status is 0 where the connection is cut instead. */
  readonly refusal: { readonly status: number; readonly body: string } | undefined
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
  { meta, sentIn }: { readonly meta: CallMeta; readonly sentIn?: number },
): OpenedWatch {
  running.catchUp(sentIn)
  const { watchers, environment } = running
  const { client } = meta
  const id = watchers.add({ transport, openedAt: environment.now(), client, sink })
  const { effects, seq } = running.dispatch({ type: 'watch-opened', id, transport, ...byTool(meta) }, meta)
  const refusal = effects.find((effect) => effect.type === 'refuse-watch')
  if (refusal !== undefined) watchers.remove(id)
  return {
    seq,
    refusal: refusal && { status: refusal.status, body: JSON.stringify(refusal.body) },
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
  const open = (): WatchHandle => {
    const opened = openWatch(running, 'websocket', sink, { meta })
    const { refusal } = opened
    if (refusal?.status === 0) callSafely(() => sink.onEnd?.('dropped'), undefined, report)
    else if (refusal !== undefined) callSafely(() => sink.onError?.(refusal), undefined, report)
    return opened
  }
  if (ms === 0) return open()
  let handle: WatchHandle | undefined
  const left = new AbortController()
  delays.wait(ms, left.signal).then(
    () => {
      if (!left.signal.aborted) handle = open()
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
  { meta, sentIn }: { readonly meta: CallMeta; readonly sentIn: number },
  keep: (seq: number, response?: ResponseRecord) => void,
): Promise<Response> {
  const ms = running.delayNow('watchGameServer', 'before')
  if (ms > 0) await running.delays.wait(ms, left)
  const { stream, sink } = createLines(() => close())
  const { seq, refusal, close } = openWatch(running, 'stream', sink, { meta: { ...meta, delayed: ms > 0 }, sentIn })
  if (refusal?.status === 0) {
    keep(seq)
    throw new ConnectionDropped('the watch was dropped before its first line')
  }
  const { status, body } = refusal ?? { status: 200, body: '' }
  keep(seq, recordResponse(status, success, body))
  if (refusal !== undefined) return new Response(body + '\n', { status, headers: success })
  left.addEventListener('abort', close, { once: true })
  return new Response(stream, { status, headers: success })
}
