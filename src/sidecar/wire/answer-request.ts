import type { GameServer } from '../../protocol/game-server.js'
import type { OperationName } from '../../protocol/operations.js'
import { fail, failUnknown } from '../model/state/answer.js'
import type { Answer } from '../model/state/answer.js'
import type { Call } from '../model/state/sidecar-event.js'
import type { WatchEnd } from '../model/state/effect.js'
import { recordRequest, recordResponse } from './exchange.js'
import type { Exchange, ResponseRecord } from './exchange.js'
import { malformedAnswer, readCall } from './read-call.js'
import { decodeBody, readMessage } from './read-message.js'
import type { MessageShape } from '../model/calls/call-table.js'
import { readBounded } from './request-body.js'
import { decodePath, findRoute } from './routes.js'
import { gameServerBytes } from './watch-message.js'
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
  /** @throws ConnectionDropped */
  call(call: Call, meta: CallMeta): Answer
  noteRefusal(method: string, path: string, answer: Answer, meta: CallMeta): void
  watch(sink: WatchSink, meta: CallMeta): WatchHandle
  /** Keeps a request and its answer beside the entry of that number. */
  keep(seq: number, exchange: Exchange): void
  /** The same for a beat that went well: all beats of a client share the exchange that is made for the first. */
  keepBeat(seq: number, client: string | undefined, exchange: () => Exchange): void
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
  /** Called with the number of the entry. */
  onEntry?(seq: number): void
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
const json = { 'content-type': 'application/json' }
const success = { ...json, 'grpc-metadata-content-type': 'application/grpc' }

/** Answers one request with the status, code and effect that it has in the real sidecar. */
export async function answerRequest(engine: Engine, request: Request, raw: RawRequest = {}): Promise<Response> {
  const method = raw.method ?? request.method
  const left = (): AbortSignal => raw.signal ?? request.signal
  const target = raw.target ?? request.url.replace(/#.*$/s, '')
  const [path, query] = splitTarget(target)
  const { client } = raw
  const began = engine.now()
  let seq = 0
  const meta: CallMeta = { client, began, onEntry: (number) => void (seq = number) }
  let body: Uint8Array = nothing
  const keep = (response?: ResponseRecord): void =>
    engine.keep(seq, {
      request: recordRequest(method, shownTarget(target), request.headers, body),
      ...(response && { response }),
    })
  const refuse = (answer: Answer): Response => {
    engine.noteRefusal(method, path, answer, meta)
    const text = JSON.stringify(answer.body)
    keep(recordResponse(answer.status, json, text))
    return new Response(text, { status: answer.status, headers: json })
  }

  const decoded = decodePath(path)
  if (decoded?.text === '/health' && !hasBody(request)) {
    engine.noteRefusal(method, '/health', { status: 400, body: undefined }, meta)
    keep(recordResponse(400, {}, ''))
    return new Response(null, { status: 400 })
  }
  if (decoded === undefined) {
    engine.noteRefusal(method, path, fail(3, 'Bad Request'), meta)
    const headers = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }
    keep(recordResponse(400, headers, '400 Bad Request'))
    return new Response('400 Bad Request', { status: 400, headers })
  }
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
  let answer: Answer
  try {
    answer = engine.call(result.call, { ...meta, delayed: before + after > 0, lasts: after })
  } catch (error) {
    if (seq > 0) keep()
    throw error
  }
  if (after > 0) await engine.wait(after, left())
  if (result.refusal) return refuse(result.refusal)
  const headers = headersOf(answer)
  if (operation === 'health' && answer.status === 200 && body.length === 2) {
    engine.keepBeat(seq, client, () => ({
      request: recordRequest(method, shownTarget(target), request.headers, body),
      response: recordResponse(200, headers, '{}'),
    }))
    return new Response('{}', { status: 200, headers })
  }
  if (operation === 'getGameServer' && answer.status === 200) {
    keep(recordResponse(200, headers, answer.body as GameServer))
    return respondShared(answer)
  }
  const text = JSON.stringify(answer.body)
  keep(recordResponse(answer.status, headers, text))
  return new Response(text, { status: answer.status, headers })
}

/** Path and query of a target, without the host of an absolute one. */
const shownTarget = (target: string): string => target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '') || '/'

function headersOf({ status, retryAfter }: Answer): Readonly<Record<string, string>> {
  if (retryAfter !== undefined) return { ...json, 'retry-after': String(retryAfter) }
  return status === 200 ? success : json
}

/** Answers with the GameServer's own bytes: a copy for each reader would let a few slow ones take all memory. */
function respondShared(answer: Answer): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(gameServerBytes(answer.body as GameServer))
      controller.close()
    },
  })
  return new Response(body, { status: 200, headers: success })
}

async function openStream(
  engine: Engine,
  left: AbortSignal,
  meta: CallMeta,
  keep: (response?: ResponseRecord) => void,
): Promise<Response> {
  const ms = engine.delay('watchGameServer', 'before')
  if (ms > 0) await engine.wait(ms, left)
  let refusal: { readonly status: number; readonly body: string } | undefined
  let isDropped = false
  let handle: WatchHandle | undefined
  const stream = watchStream((sink) => {
    const open = { ...sink, onEnd, onError: (answer: typeof refusal) => void (refusal = answer) }
    function onEnd(reason: WatchEnd): void {
      isDropped = true
      sink.onEnd?.(reason)
    }
    handle = engine.watch(open, { ...meta, delayed: ms > 0 })
    return handle
  })
  if (refusal) {
    keep(recordResponse(refusal.status, success, refusal.body))
    return new Response(refusal.body + '\n', { status: refusal.status, headers: success })
  }
  keep(isDropped ? undefined : recordResponse(200, success, ''))
  if (isDropped) throw new ConnectionDropped('the watch was dropped before its first line')
  left.addEventListener('abort', () => handle?.close(), { once: true })
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
function splitTarget(target: string): [path: string, query: string] {
  const relative = target.startsWith('/') ? target : target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')
  const at = relative.indexOf('?')
  const [path, query] = at < 0 ? [relative, ''] : [relative.slice(0, at), relative.slice(at + 1)]
  return [path === '' ? '/' : path, query]
}
