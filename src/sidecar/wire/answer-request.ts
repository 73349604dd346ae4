import type { OperationName } from '../../protocol/operations.js'
import { readBounded } from './request-body.js'
import { ConnectionDropped } from './connection-dropped.js'
import type { Call } from '../model/state/sidecar-event.js'
import { readGrpcHeaders } from './grpc-headers.js'
import { MessageError } from './read-message.js'
import { parseQuery } from './query.js'
import { readBody, readCall } from './read-call.js'
import { findRoute, unescapePath } from './routes.js'
import type { Route } from './routes.js'
import { fail, failUnknown } from '../model/state/step.js'
import type { Answer } from '../model/state/step.js'
import type { RawRequest, WatchHandle, WatchSink } from '../sidecar.js'
import { watchStream } from './watch-stream.js'

/** What answering requests needs of the sidecar. */
export interface Engine {
  readonly bodyLimit: number
  /**
   * Resolves when a call may take effect, and when its answer may go out. Rejects when the sidecar ends
   * meanwhile.
   */
  delay(operation: OperationName, when: 'before' | 'after'): Promise<void>
  /** @throws ConnectionDropped */
  call(call: Call): Answer
  noteRefusal(method: string, path: string, answer: Answer): void
  watch(sink: WatchSink): WatchHandle
}

const formType = 'application/x-www-form-urlencoded'
const json = { 'content-type': 'application/json' }
const success = { ...json, 'grpc-metadata-content-type': 'application/grpc' }

/** Answers one request as the real sidecar does, down to what its gateway says to malformed ones. */
export async function answerRequest(engine: Engine, request: Request, raw: RawRequest = {}): Promise<Response> {
  let method = raw.method ?? request.method
  const [path, urlQuery] = raw.target === undefined ? splitUrl(request.url) : splitTarget(raw.target)
  let query = urlQuery
  const refuse = (answer: Answer): Response => {
    engine.noteRefusal(method, path, answer)
    return respond(answer)
  }

  if (isHealth(path) && !hasBody(request)) {
    engine.noteRefusal(method, '/health', { status: 400, body: undefined })
    return new Response(null, { status: 400 })
  }
  if (!unescapePath(path)) {
    engine.noteRefusal(method, path, fail(3, 'Bad Request'))
    const headers = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }
    return new Response('400 Bad Request', { status: 400, headers })
  }
  let form: Uint8Array | undefined
  const isForm = method === 'POST' && request.headers.get('content-type') === formType
  const override = request.headers.get('x-http-method-override')
  if (isForm && override) {
    const read = await readForm(engine, request, query)
    if ('status' in read) return refuse(read)
    // Looking for parameters has used the body up.
    form = read.rest
    query = read.query
    method = override.toUpperCase()
  }
  const route = findRoute(method, path, isForm && method === 'POST')
  if (route.type === 'not-found' || route.type === 'bad-escape') return refuse(fail(5, 'Not Found'))
  if (route.type === 'wrong-method') return refuse(fail(12, 'Method Not Allowed'))
  if (isForm && form === undefined && isRead(route)) {
    const read = await readForm(engine, request, query)
    if ('status' in read) return refuse(read)
    form = read.rest
    query = read.query
  }
  const { refusal, expired } = readGrpcHeaders(request.headers)
  if (refusal) {
    await request.body?.cancel().catch(() => undefined)
    return refuse(refusal)
  }
  if (route.type === 'operation' && route.operation === 'watchGameServer') {
    await request.body?.cancel().catch(() => undefined)
    return openStream(engine, request)
  }
  const read = form ? { bytes: form } : await readBounded(request, engine.bodyLimit)
  if ('tooLarge' in read) return refuse(tooLarge(read.tooLarge, engine.bodyLimit))
  if (route.type === 'player-tracking') return refuse(playerTracking(route.field, read.bytes))

  const result = readCall(route.operation, route.key, query, read.bytes)
  let answer = result.refusal
  if (expired) return refuse(result.refusal ?? expired)
  if ('call' in result) {
    await engine.delay(route.operation, 'before')
    const given = engine.call(result.call)
    answer ??= given
    await engine.delay(route.operation, 'after')
  }
  return result.refusal ? refuse(result.refusal) : respond(answer!)
}

function respond({ status, body }: Answer): Response {
  return new Response(JSON.stringify(body), { status, headers: status === 200 ? success : json })
}

async function openStream(engine: Engine, request: Request): Promise<Response> {
  await engine.delay('watchGameServer', 'before')
  let refusal: { readonly status: number; readonly body: string } | undefined
  let dropped = false
  let handle: WatchHandle | undefined
  const stream = watchStream((sink) => {
    handle = engine.watch({
      ...sink,
      onEnd(reason) {
        dropped = true
        sink.onEnd?.(reason)
      },
      onError: (answer) => void (refusal = answer),
    })
    return handle
  })
  if (refusal) return new Response(refusal.body + '\n', { status: refusal.status, headers: success })
  if (dropped) throw new ConnectionDropped('the watch was dropped before its first line')
  request.signal.addEventListener('abort', () => handle?.close(), { once: true })
  return new Response(stream, { status: 200, headers: success })
}

/** The largest message is measured here by the body that carries it. */
function tooLarge(bytes: number, limit: number): Answer {
  return fail(8, `grpc: received message larger than max (${bytes} vs. ${limit})`)
}

/** The alpha interface is answered and always switched off. */
function playerTracking(field: 'playerID' | 'count' | undefined, body: Uint8Array): Answer {
  try {
    if (field) readBody(body, { [field]: field === 'count' ? 'int64' : 'string' })
    return failUnknown('PlayerTracking not enabled')
  } catch (error) {
    if (!(error instanceof MessageError)) throw error
    return fail(3, error.message)
  }
}

/** What is left of a form's body, which is nothing, and its parameters together with those of the query. */
interface Form {
  readonly rest: Uint8Array
  readonly query: string
}

/** A form's parameters must be well-formed, those of the body and those of the query. */
async function readForm(engine: Engine, request: Request, query: string): Promise<Form | Answer> {
  const read = await readBounded(request, engine.bodyLimit)
  if ('tooLarge' in read) return tooLarge(read.tooLarge, engine.bodyLimit)
  const text = new TextDecoder().decode(read.bytes)
  for (const part of [text, query]) {
    const pairs = parseQuery(part)
    if (typeof pairs === 'string') return fail(3, pairs)
  }
  return { rest: new Uint8Array(0), query: `${text}&${query}` }
}

function isRead(route: Route): boolean {
  if (route.type !== 'operation') return route.type === 'player-tracking' && route.field === undefined
  return /^(get|watch)/.test(route.operation)
}

function isHealth(path: string): boolean {
  const bytes = unescapePath(path)
  return bytes !== undefined && String.fromCharCode(...bytes.subarray(0, 8)) === '/health'
}

function hasBody(request: Request): boolean {
  return request.body !== null && request.headers.get('content-length') !== '0'
}

/** Path and query of a target as it came: a `#` is a character like any other. */
function splitTarget(target: string): [path: string, query: string] {
  const relative = target.startsWith('/') ? target : target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')
  const at = relative.indexOf('?')
  const [path, query] = at < 0 ? [relative, ''] : [relative.slice(0, at), relative.slice(at + 1)]
  return [path === '' ? '/' : path, query]
}

/** Path and query of a URL, whose fragment isn't sent. */
function splitUrl(url: string): [path: string, query: string] {
  return splitTarget(url.replace(/#.*$/s, ''))
}
