import { createGrowingBytes } from '../../../protocol/growing-bytes.js'
import { type Answer, fail, failUnknown, messageOf } from '../state/answer.js'
import type { WatchEnd } from '../state/events.js'
import { delayOf } from '../state/faults.js'
import { excerpt } from '../state/show.js'
import { byTool, type CallMeta, type Running } from '../running.js'
import type { SidecarRequest } from '../sidecar.js'
import { recordRequest, recordResponse, type ResponseRecord } from '../event-log.js'
import { readCall, refusalOf } from './read-call.js'
import { decodePath, findRoute } from './routes.js'
import { ConnectionDropped, createLines, type WatchHandle, type WatchSink } from '../watchers.js'
import { callSafely } from '../listeners.js'

/** The largest body, as in the real sidecar. */
const MOST_BYTES = 4 * 1024 * 1024
const nothing = new Uint8Array(0)
type Headers = Readonly<Record<string, string>>
const json = { 'content-type': 'application/json' }
const plainText = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }

/** Answers a request with the status, code and effect of the real sidecar. */
export async function answerRequest(running: Running, request: SidecarRequest): Promise<Response> {
  running.catchUp()
  const { environment, delays, log, epoch } = running
  const { method, client, isTool } = request
  const target = relative(request.url)
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(target)!
  const meta: CallMeta = { client, isTool, began: environment.now() }
  let body: Uint8Array = nothing
  const keep = (seq: number, response?: ResponseRecord): void =>
    log.keepExchange(seq, {
      request: recordRequest(request, target, body),
      ...(response && { response }),
    })
  const respond = (seq: number, status: number, headers: Headers, text: string): Response => {
    keep(seq, recordResponse(status, headers, text))
    return new Response(text === '' ? null : text, { status, headers })
  }
  const refuse = (answer: Answer, headers: Headers = json, text = JSON.stringify(answer.body)): Response => {
    const { status } = answer
    const message = excerpt(messageOf(answer) ?? '', 500)
    const shown = { method: method.slice(0, 20), path: excerpt(path, 200) }
    const { seq } = running.dispatch({ type: 'refused', ...shown, status, message }, meta)
    return respond(seq, status, headers, text)
  }

  const decoded = decodePath(path)
  if (decoded?.text === '/health' && !hasBody(request)) return refuse({ status: 400, body: undefined }, {}, '')
  if (decoded === undefined) return refuse(fail(3, 'Bad Request'), plainText, '400 Bad Request')
  const route = findRoute(method, decoded)
  if (route.type === 'not-found') return refuse(fail(5, 'Not Found'))
  if (route.type === 'wrong-method') return refuse(fail(12, 'Method Not Allowed'))
  if (route.type === 'watch') {
    await cancel(request.body)
    return openStream(running, request.signal, { meta, sentIn: epoch }, keep)
  }
  const read = await readBounded(request)
  if ('tooLarge' in read) return refuse(tooLarge(read.tooLarge))
  body = read.bytes
  if (route.type === 'player-tracking')
    return refuse(refusalOf(body, route.shape) ?? failUnknown('PlayerTracking not enabled'))

  const { operation, key } = route
  const result = readCall(operation, key, query, body)
  if (!('call' in result)) return refuse(result.refusal)
  const before = delayOf(running.state.faults, operation, 'before')
  if (before > 0) await delays.wait(before, request.signal)
  const after = delayOf(running.state.faults, operation, 'after')
  running.catchUp(epoch)
  const { call, unread } = result
  const event = { type: 'call', call, ...(unread !== undefined && { unread }), ...byTool(meta) } as const
  const { effects, seq } = running.dispatch(event, { ...meta, isDelayed: before + after > 0, lasts: after })
  const answer = effects.find((effect) => effect.type === 'reply')
  if (after > 0) await delays.wait(after, request.signal)
  if (answer === undefined || answer.drop) {
    keep(seq)
    throw new ConnectionDropped('the call was dropped on purpose')
  }
  if (result.refusal) return refuse(result.refusal)
  return respond(seq, answer.status, headersOf(answer), JSON.stringify(answer.body))
}

function headersOf({ status, retryAfter }: Answer): Headers {
  if (retryAfter !== undefined) return { ...json, 'retry-after': String(retryAfter) }
  return status === 200 ? success : json
}

/** The real sidecar names the size of the message; here it is the size of the body. */
function tooLarge(bytes: number): Answer {
  return fail(8, `grpc: received message larger than max (${bytes} vs. ${MOST_BYTES})`)
}

const hasBody = ({ body, headers }: SidecarRequest): boolean => body !== null && headers.get('content-length') !== '0'

/** Leaves a body unread. */
async function cancel(body: SidecarRequest['body']): Promise<void> {
  if (body !== null && 'cancel' in body) await body.cancel().catch(() => undefined)
}

/** The path and query of a target or URL. In a target, a `#` isn't special; a URL's fragment stays with the client. */
const relative = (target: string): string =>
  target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*([^#]*).*$/is, '$1').replace(/^(?!\/)/, '/')

/** A body, or the known size of a body over the limit. */
type Body = { readonly bytes: Uint8Array } | { readonly tooLarge: number }

/** Reads a request's body, and stops at the first chunk over the limit. */
async function readBounded({ body, headers }: SidecarRequest): Promise<Body> {
  const announced = Number(headers.get('content-length') ?? 0)
  if (announced > MOST_BYTES) {
    await cancel(body)
    return { tooLarge: announced }
  }
  if (body === null) return { bytes: nothing }
  if (!('getReader' in body)) return body.length > MOST_BYTES ? { tooLarge: body.length } : { bytes: body }
  const reader = body.getReader()
  const bytes = createGrowingBytes()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return { bytes: bytes.view() }
    if (bytes.length + value.length > MOST_BYTES) {
      await reader.cancel().catch(() => undefined)
      return { tooLarge: bytes.length + value.length }
    }
    bytes.add(value)
  }
}

/** The headers of a successful answer. */
const success = { 'content-type': 'application/json', 'grpc-metadata-content-type': 'application/grpc' }

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
  const { delays, environment, report, state } = running
  const ms = delayOf(state.faults, 'watchGameServer', 'before')
  const meta = { ...by, began: environment.now(), isDelayed: ms > 0 }
  const left = new AbortController()
  let opened: OpenedWatch | undefined
  const end = (reason: WatchEnd): void => callSafely(() => sink.onEnd?.(reason), undefined, report)
  const open = (): void => {
    if (left.signal.aborted) return
    opened = openWatch(running, 'websocket', sink, { meta })
    const { refusal } = opened
    if (refusal?.status === 0) end('dropped')
    else if (refusal !== undefined) callSafely(() => sink.onError?.(refusal), undefined, report)
  }
  if (ms === 0) open()
  else delays.wait(ms, left.signal).then(open, () => left.signal.aborted || end('restart'))
  return {
    close() {
      left.abort()
      opened?.close()
    },
  }
}

/** Answers a request for a watch with a stream, or with its refusal. */
async function openStream(
  running: Running,
  left: AbortSignal,
  { meta, sentIn }: { readonly meta: CallMeta; readonly sentIn: number },
  keep: (seq: number, response?: ResponseRecord) => void,
): Promise<Response> {
  const ms = delayOf(running.state.faults, 'watchGameServer', 'before')
  if (ms > 0) await running.delays.wait(ms, left)
  const { stream, sink } = createLines(() => close())
  const { seq, refusal, close } = openWatch(running, 'stream', sink, { meta: { ...meta, isDelayed: ms > 0 }, sentIn })
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
