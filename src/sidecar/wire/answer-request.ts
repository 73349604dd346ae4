import type { GameServer } from '../../protocol/game-server.js'
import type { OperationName } from '../../protocol/operations.js'
import { fail, failUnknown } from '../model/state/answer.js'
import type { Answer } from '../model/state/answer.js'
import type { Call } from '../model/state/sidecar-event.js'
import { malformedAnswer, readCall } from './read-call.js'
import { decodeBody, readMessage } from './read-message.js'
import type { MessageShape } from './read-message.js'
import { readBounded } from './request-body.js'
import { decodePath, findRoute } from './routes.js'
import { gameServerBytes } from './watch-message.js'
import { ConnectionDropped, watchStream } from './watch-stream.js'
import type { WatchHandle, WatchSink } from './watch-stream.js'

/** The parts of the sidecar that answering requests needs. */
export interface Engine {
  readonly bodyLimit: number
  /**
   * Resolves when a call may take effect, or when its answer may go out. Rejects if the sidecar ends or the client leaves
   * meanwhile.
   */
  delay(operation: OperationName, when: 'before' | 'after', left: AbortSignal): Promise<void>
  /** @throws ConnectionDropped */
  call(call: Call): Answer
  noteRefusal(method: string, path: string, answer: Answer): void
  watch(sink: WatchSink): WatchHandle
}

/** Properties of a request that a Node host knows and WHATWG's Request has lost. */
export interface RawRequest {
  /** The method as it came, case and all. */
  readonly method?: string
  /** Path and query as they came, before a URL parser resolved `..` and the like. */
  readonly target?: string
  /** Aborts when the client has left; without it the request's own signal does. */
  readonly signal?: AbortSignal
}

const json = { 'content-type': 'application/json' }
const success = { ...json, 'grpc-metadata-content-type': 'application/grpc' }

/** Answers one request with the status, code and effect that it has in the real sidecar. */
export async function answerRequest(engine: Engine, request: Request, raw: RawRequest = {}): Promise<Response> {
  const method = raw.method ?? request.method
  const left = raw.signal ?? request.signal
  const [path, query] = splitTarget(raw.target ?? request.url.replace(/#.*$/s, ''))
  const refuse = (answer: Answer): Response => {
    engine.noteRefusal(method, path, answer)
    return respond(answer)
  }

  const decoded = decodePath(path)
  if (decoded?.text === '/health' && !hasBody(request)) {
    engine.noteRefusal(method, '/health', { status: 400, body: undefined })
    return new Response(null, { status: 400 })
  }
  if (decoded === undefined) {
    engine.noteRefusal(method, path, fail(3, 'Bad Request'))
    const headers = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }
    return new Response('400 Bad Request', { status: 400, headers })
  }
  const route = findRoute(method, decoded)
  if (route.type === 'not-found') return refuse(fail(5, 'Not Found'))
  if (route.type === 'wrong-method') return refuse(fail(12, 'Method Not Allowed'))
  if (route.type === 'watch') {
    await request.body?.cancel().catch(() => undefined)
    return openStream(engine, left)
  }
  const read = await readBounded(request, engine.bodyLimit)
  if ('tooLarge' in read) return refuse(tooLarge(read.tooLarge, engine.bodyLimit))
  if (route.type === 'player-tracking') return refuse(refusePlayerTracking(route.shape, read.bytes))

  const { operation, key } = route
  const result = readCall(operation, key, query, read.bytes)
  if (!('call' in result)) return refuse(result.refusal)
  await engine.delay(operation, 'before', left)
  const answer = engine.call(result.call)
  await engine.delay(operation, 'after', left)
  if (result.refusal) return refuse(result.refusal)
  return operation === 'getGameServer' && answer.status === 200 ? respondShared(answer) : respond(answer)
}

function respond({ status, body }: Answer): Response {
  return new Response(JSON.stringify(body), { status, headers: status === 200 ? success : json })
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

async function openStream(engine: Engine, left: AbortSignal): Promise<Response> {
  await engine.delay('watchGameServer', 'before', left)
  let refusal: { readonly status: number; readonly body: string } | undefined
  let isDropped = false
  let handle: WatchHandle | undefined
  const stream = watchStream((sink) => {
    handle = engine.watch({
      ...sink,
      onEnd(reason) {
        isDropped = true
        sink.onEnd?.(reason)
      },
      onError: (answer) => void (refusal = answer),
    })
    return handle
  })
  if (refusal) return new Response(refusal.body + '\n', { status: refusal.status, headers: success })
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
