import { createGrowingBytes } from '../../protocol/growing-bytes.js'
import type { OperationName } from '../../protocol/operations.js'
import { fail, failUnknown } from '../model/state/answer.js'
import type { Answer } from '../model/state/answer.js'
import type { Call } from '../model/state/sidecar-event.js'
import type { WatchEnd } from '../model/state/effect.js'
import { recordRequest, recordResponse } from './exchange.js'
import type { Exchange, ResponseRecord } from './exchange.js'
import { malformedAnswer, readCall } from './read-call.js'
import { decodeBody, readMessage } from './read-message.js'
import type { MessageShape } from './read-message.js'
import { decodePath, findRoute } from './routes.js'
import { ConnectionDropped, watchStream } from './watch-stream.js'
import type { WatchHandle, WatchSink } from './watch-stream.js'

/** The parts of the sidecar that answering requests needs. */
export interface Engine {
  readonly bodyLimit: number
  now(): number
  /** How many milliseconds a call is held up before it takes effect, or its answer after that. */
  delay(operation: OperationName, when: 'before' | 'after'): number
  /** Resolves after so long. Rejects if the sidecar ends or the client leaves meanwhile. */
  wait(ms: number, left: AbortSignal): Promise<void>
  /** Gives the number of its entry; no answer if the connection is to be cut. @throws ConnectionDropped */
  call(call: Call, meta: CallMeta): { readonly seq: number; readonly answer: Answer | undefined }
  /** Returns the number of its entry. */
  noteRefusal(method: string, path: string, answer: Answer, meta: CallMeta): number
  watch(sink: WatchSink, meta: CallMeta): OpenedWatch
  /** Keeps a request and its answer beside the entry of that number. */
  keep(seq: number, exchange: Exchange): void
}

/** A watch that was asked for, with the number of its entry. */
export interface OpenedWatch extends WatchHandle {
  readonly seq: number
}

/** What the log's entry of a request needs to know beside the call. */
export interface CallMeta {
  readonly client?: string | undefined
  /** When the request came. */
  readonly began?: number
  /** It was held up on purpose. */
  readonly delayed?: boolean
  /** Milliseconds for which its answer will be held up. */
  readonly lasts?: number
}

/** Properties of a request that a Node host knows and WHATWG's Request has lost. */
export interface RawRequest {
  /** The method as it came, case and all. */
  readonly method?: string
  /** Path and query as they came, before a URL parser resolved `..` and the like. */
  readonly target?: string
  /** Who calls, in a word, for the log. */
  readonly client?: string | undefined
  /** Aborts when the client has left; without it the request's own signal does. Only read by a call that waits. */
  readonly signal?: AbortSignal
}

const nothing = new Uint8Array(0)
type Headers = Readonly<Record<string, string>>
const json = { 'content-type': 'application/json' }
const plainText = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }
const success = { ...json, 'grpc-metadata-content-type': 'application/grpc' }

/** Answers one request with the status, code and effect that it has in the real sidecar. */
export async function answerRequest(engine: Engine, request: Request, raw: RawRequest = {}): Promise<Response> {
  const method = raw.method ?? request.method
  const left = (): AbortSignal => raw.signal ?? request.signal
  const target = relative(raw.target ?? request.url.replace(/#.*$/s, ''))
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(target)!
  const meta: CallMeta = { client: raw.client, began: engine.now() }
  let body: Uint8Array = nothing
  const keep = (seq: number, response?: ResponseRecord): void =>
    engine.keep(seq, {
      request: recordRequest(method, target, request.headers, body),
      ...(response && { response }),
    })
  const respond = (seq: number, status: number, headers: Headers, text: string): Response => {
    keep(seq, recordResponse(status, headers, text))
    return new Response(text === '' ? null : text, { status, headers })
  }
  const refuse = (answer: Answer, headers: Headers = json, text = JSON.stringify(answer.body)): Response =>
    respond(engine.noteRefusal(method, path, answer, meta), answer.status, headers, text)

  const decoded = decodePath(path)
  if (decoded?.text === '/health' && !hasBody(request)) return refuse({ status: 400, body: undefined }, {}, '')
  if (decoded === undefined) return refuse(fail(3, 'Bad Request'), plainText, '400 Bad Request')
  const route = findRoute(method, decoded)
  if (route.type === 'not-found') return refuse(fail(5, 'Not Found'))
  if (route.type === 'wrong-method') return refuse(fail(12, 'Method Not Allowed'))
  if (route.type === 'watch') {
    await request.body?.cancel().catch(() => undefined)
    return openStream(engine, left(), meta, keep)
  }
  const read = await readBounded(request, engine.bodyLimit)
  if ('tooLarge' in read) return refuse(tooLarge(read.tooLarge, engine.bodyLimit))
  body = read.bytes
  if (route.type === 'player-tracking') return refuse(refusePlayerTracking(route.shape, body))

  const { operation, key } = route
  const result = readCall(operation, key, query, body)
  if (!('call' in result)) return refuse(result.refusal)
  const before = engine.delay(operation, 'before')
  if (before > 0) await engine.wait(before, left())
  const after = engine.delay(operation, 'after')
  const { seq, answer } = engine.call(result.call, { ...meta, delayed: before + after > 0, lasts: after })
  if (after > 0) await engine.wait(after, left())
  if (answer === undefined) {
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

async function openStream(
  engine: Engine,
  left: AbortSignal,
  meta: CallMeta,
  keep: (seq: number, response?: ResponseRecord) => void,
): Promise<Response> {
  const ms = engine.delay('watchGameServer', 'before')
  if (ms > 0) await engine.wait(ms, left)
  let refusal: { readonly status: number; readonly body: string } | undefined
  let isDropped = false
  let opened: OpenedWatch | undefined
  const stream = watchStream((sink) => {
    const open = { ...sink, onEnd, onError: (answer: typeof refusal) => void (refusal = answer) }
    function onEnd(reason: WatchEnd): void {
      isDropped = true
      sink.onEnd?.(reason)
    }
    return (opened = engine.watch(open, { ...meta, delayed: ms > 0 }))
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

/** The real sidecar measures the message inside; here it is the body that carries it. */
function tooLarge(bytes: number, limit: number): Answer {
  return fail(8, `grpc: received message larger than max (${bytes} vs. ${limit})`)
}

function refusePlayerTracking(shape: MessageShape, body: Uint8Array): Answer {
  try {
    readMessage(decodeBody(body), shape)
    return failUnknown('PlayerTracking not enabled')
  } catch (error) {
    return malformedAnswer(error)
  }
}

function hasBody(request: Request): boolean {
  return request.body !== null && request.headers.get('content-length') !== '0'
}

/** Path and query of a target or URL as it came: a `#` is a character like any other. */
const relative = (target: string): string =>
  target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').replace(/^(?!\/)/, '/')

/** A body, or the size of one over the limit as far as it is known. */
type Body = { readonly bytes: Uint8Array } | { readonly tooLarge: number }

/** Reads a request's body to its end, but never more than the limit and one chunk beyond it. */
async function readBounded(request: Request, limit: number): Promise<Body> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > limit) {
    await request.body?.cancel().catch(() => undefined)
    return { tooLarge: announced }
  }
  if (!request.body) return { bytes: new Uint8Array(0) }
  const reader = (request.body as ReadableStream<Uint8Array>).getReader()
  const bytes = createGrowingBytes()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return { bytes: bytes.view() }
    if (bytes.length + value.length > limit) {
      await reader.cancel().catch(() => undefined)
      return { tooLarge: bytes.length + value.length }
    }
    bytes.add(value)
  }
}
