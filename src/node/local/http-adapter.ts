import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Backlog, ReaderBacklog } from './backlog.js'

/** Method and target as they came; a WHATWG Request normalises both. */
export interface RawTarget {
  readonly method: string
  readonly target: string
}

/** The client left in the middle of its request. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/** Methods that `Request` refuses or rewrites. No route has them, so another unknown method can stand for them. */
const UNSUPPORTED = /^(connect|trace|track)$/i
const REWRITTEN = /^(delete|get|head|options|post|put)$/i

/** Builds a request for any method and any target; `RawTarget` keeps the parts that the request loses. */
export function buildRequest(host: string, raw: RawTarget, init: Omit<RequestInit, 'method'> = {}): Request {
  const { method } = raw
  const known = !UNSUPPORTED.test(method) && (!REWRITTEN.test(method) || method === method.toUpperCase())
  const path = raw.target.startsWith('/') ? raw.target : `/${raw.target}`
  return new Request(`http://${host}${path}`, {
    ...init,
    method: known && /^[\w!#$%&'*+.^`|~-]+$/.test(method) ? method : 'UNSUPPORTED',
  })
}

/** Turns an incoming message into a WHATWG request, with its body as a stream that is read on demand. */
export function toRequest(message: IncomingMessage, host: string, target: string): Request {
  const headers = new Headers()
  for (let i = 0; i + 1 < message.rawHeaders.length; i += 2) {
    headers.append(message.rawHeaders[i]!, message.rawHeaders[i + 1]!)
  }
  const method = message.method ?? 'GET'
  const bodyless = method === 'GET' || method === 'HEAD'
  const init = bodyless ? { headers } : { headers, body: bodyStream(message), duplex: 'half' as const }
  return buildRequest(host, { method, target }, init)
}

function bodyStream(message: IncomingMessage): ReadableStream<Uint8Array> {
  let ended = false
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        message.pause()
        message.on('data', (chunk: Buffer) => {
          if (ended) return
          controller.enqueue(chunk)
          message.pause()
        })
        message.once('end', () => {
          if (ended) return
          ended = true
          controller.close()
        })
        const fail = (): void => {
          if (ended) return
          ended = true
          controller.error(new ClientGone('The client left before its request was complete'))
        }
        message.once('error', fail)
        message.once('close', fail)
      },
      pull() {
        message.resume()
      },
      cancel() {
        // Reads the rest and drops it: a client that is still sending may not read the answer yet.
        ended = true
        message.resume()
      },
    },
    { highWaterMark: 0 },
  )
}

export interface WriteOptions {
  /** What the sockets of all streams may hold together. */
  readonly backlog: Backlog
  /** Headers added to the response's own. */
  readonly extraHeaders?: Readonly<Record<string, string>> | undefined
  /** Called before the head of an answer of unknown length is sent: the connection now belongs to a watcher. */
  readonly onStream?: (() => void) | undefined
}

/**
 * Sends a WHATWG response: with its length if it is complete at once, else as a stream. A stream is read no faster than
 * the client reads. It is cancelled when the client is gone, and cuts the connection when it fails, so that half an
 * answer can't look like a whole one.
 */
export async function writeResponse(response: Response, reply: ServerResponse, options: WriteOptions): Promise<void> {
  if (reply.destroyed || reply.socket?.destroyed === true) {
    await response.body?.cancel().catch(() => undefined)
    return
  }
  const headers = { ...Object.fromEntries(response.headers), ...options.extraHeaders }
  if (response.body === null) {
    reply.writeHead(response.status, headers)
    reply.end()
    return
  }
  const reader: Reader = response.body.getReader()
  const gone = new Promise<void>((resolve) => reply.once('close', resolve))
  void gone.then(() => reader.cancel().catch(() => undefined))
  try {
    const { chunks, rest } = await collect(reader)
    if (rest === undefined) {
      reply.writeHead(response.status, { ...headers, 'content-length': sizeOf(chunks) })
      // One by one: chunks may be shared by many answers, and a joined one would be a copy.
      reply.cork()
      for (const chunk of chunks) reply.write(chunk)
      reply.end()
      return
    }
    options.onStream?.()
    reply.writeHead(response.status, headers)
    reply.flushHeaders()
    const waiting = options.backlog(() => reply.socket?.resetAndDestroy())
    void gone.then(() => waiting.end())
    for (const chunk of chunks) reply.write(chunk, waiting.hold(chunk))
    await pump(reader, rest, reply, gone, waiting)
  } catch {
    reply.socket?.resetAndDestroy()
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>
type Read = ReturnType<Reader['read']>

/** Reads all chunks that are there at once, and starts the read that has to wait; undefined if the body has ended. */
async function collect(reader: Reader): Promise<{ chunks: Uint8Array[]; rest: Read | undefined }> {
  const chunks: Uint8Array[] = []
  const turn = aTurn()
  for (;;) {
    const rest = reader.read()
    const result = await Promise.race([rest, turn])
    if (result === undefined) return { chunks, rest }
    if (result.done) return { chunks, rest: undefined }
    chunks.push(result.value)
  }
}

async function pump(
  reader: Reader,
  first: Read,
  reply: ServerResponse,
  gone: Promise<void>,
  waiting: ReaderBacklog,
): Promise<void> {
  for (let next = first; ; next = reader.read()) {
    const { done, value } = await next
    if (done || reply.destroyed) break
    if (!reply.write(value, waiting.hold(value))) await Promise.race([drained(reply), gone])
  }
  reply.end()
}

const sizeOf = (chunks: readonly Uint8Array[]): number => chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)

const aTurn = (): Promise<undefined> => new Promise((resolve) => setImmediate(resolve, undefined))

const drained = (reply: ServerResponse): Promise<void> => new Promise((resolve) => reply.once('drain', resolve))
