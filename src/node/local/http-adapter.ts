import type { IncomingMessage, ServerResponse } from 'node:http'

/** The request as it came, which a WHATWG Request loses by normalising. */
export interface RawTarget {
  readonly method: string
  readonly target: string
}

/** The client went away in the middle of its request, which is nobody's fault here. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/** Methods that `Request` refuses or rewrites; no route has them, so any other unknown one does as well. */
const UNSUPPORTED = /^(connect|trace|track)$/i
const REWRITTEN = /^(delete|get|head|options|post|put)$/i

/** A request that can be built for any method and any target; what is lost stands in `RawTarget`. */
export function buildRequest(host: string, raw: RawTarget, init: Omit<RequestInit, 'method'> = {}): Request {
  const { method } = raw
  const known = !UNSUPPORTED.test(method) && (!REWRITTEN.test(method) || method === method.toUpperCase())
  const path = raw.target.startsWith('/') ? raw.target : `/${raw.target}`
  return new Request(`http://${host}${path}`, {
    ...init,
    method: known && /^[\w!#$%&'*+.^`|~-]+$/.test(method) ? method : 'UNSUPPORTED',
  })
}

/** An incoming message as a WHATWG request, its body a stream that is read no faster than it is asked for. */
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
        // The rest is read and thrown away, so that the client gets to read the answer.
        ended = true
        message.resume()
      },
    },
    { highWaterMark: 0 },
  )
}

export interface WriteOptions {
  /** Headers added to the response's own. */
  readonly extraHeaders?: Readonly<Record<string, string>> | undefined
  /**
   * Called when the head of an answer of unknown length was sent: the connection now belongs to a watcher.
   */
  readonly onStream?: (() => void) | undefined
}

/** Largest answer that is collected to be sent with its length. */
const MAX_COLLECTED = 1024 * 1024

/**
 * Sends a WHATWG response: one that is complete at once with its length, any other as a stream. A stream is
 * read no faster than the client reads, is cancelled when the client is gone, and cuts the connection when it
 * fails, so that nobody takes half an answer for a whole one.
 */
export async function writeResponse(
  response: Response,
  reply: ServerResponse,
  options: WriteOptions = {},
): Promise<void> {
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
      const body = Buffer.concat(chunks)
      reply.writeHead(response.status, { ...headers, 'content-length': body.byteLength })
      reply.end(body)
      return
    }
    options.onStream?.()
    reply.writeHead(response.status, headers)
    reply.flushHeaders()
    for (const chunk of chunks) reply.write(chunk)
    await pump(reader, rest, reply, gone)
  } catch {
    reply.socket?.resetAndDestroy()
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>
type Read = ReturnType<Reader['read']>

/** What can be read without waiting for anything, and the read that has to wait; none where that was all. */
async function collect(reader: Reader): Promise<{ chunks: Uint8Array[]; rest: Read | undefined }> {
  const chunks: Uint8Array[] = []
  for (let size = 0; ;) {
    const rest = reader.read()
    const result = size > MAX_COLLECTED ? undefined : await Promise.race([rest, aTurn()])
    if (result === undefined) return { chunks, rest }
    if (result.done) return { chunks, rest: undefined }
    chunks.push(result.value)
    size += result.value.byteLength
  }
}

async function pump(reader: Reader, first: Read, reply: ServerResponse, gone: Promise<void>): Promise<void> {
  for (let next = first; ; next = reader.read()) {
    const { done, value } = await next
    if (done || reply.destroyed) break
    if (!reply.write(value)) await Promise.race([drained(reply), gone])
  }
  reply.end()
}

const aTurn = (): Promise<undefined> => new Promise((resolve) => setImmediate(resolve, undefined))

const drained = (reply: ServerResponse): Promise<void> => new Promise((resolve) => reply.once('drain', resolve))
