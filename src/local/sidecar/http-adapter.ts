import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ReadableStream } from 'node:stream/web'
import { bodyOf } from '../http/read-body.js'
import type { Admission } from '../http/request-guard.js'

/** The parts of a request, of any method and target. Its body is a stream that is read on demand. */
export function partsOf(message: IncomingMessage, { target }: Admission) {
  const headers = new Headers()
  for (let i = 0; i + 1 < message.rawHeaders.length; i += 2) {
    headers.append(message.rawHeaders[i]!, message.rawHeaders[i + 1]!)
  }
  const method = message.method ?? 'GET'
  const isBodyless = method === 'GET' || method === 'HEAD'
  const body = isBodyless ? null : (ReadableStream.from(bodyOf(message)) as globalThis.ReadableStream<Uint8Array>)
  return { method, url: target, headers, body }
}

/**
 * Sends a WHATWG response: with its length if the body is complete at once, else as a stream. A stream is read no faster
 * than the client reads, and cancelled when the client has left. If a stream fails, the connection is cut, so that half an
 * answer can't look whole.
 *
 * @param onStream called before the head of a stream is sent: the connection now belongs to a watcher
 */
export async function writeResponse(response: Response, reply: ServerResponse, onStream: () => void): Promise<void> {
  if (reply.destroyed || reply.socket?.destroyed === true) return response.body?.cancel().catch(() => undefined)
  const headers = Object.fromEntries(response.headers)
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
    const body = Buffer.concat(chunks)
    if (rest === undefined) {
      reply.writeHead(response.status, { ...headers, 'content-length': body.byteLength })
      reply.end(body)
      return
    }
    onStream()
    reply.writeHead(response.status, headers)
    reply.flushHeaders()
    if (body.byteLength > 0) reply.write(body)
    for (let next = rest; ; next = reader.read()) {
      const { done, value } = await next
      if (done || reply.destroyed) break
      if (!reply.write(value)) await Promise.race([once(reply, 'drain'), gone])
    }
    reply.end()
  } catch {
    reply.socket?.resetAndDestroy()
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>
type Read = ReturnType<Reader['read']>

/** Reads the chunks that are there at once. `rest` is the first read that has to wait; undefined if the body has ended. */
async function collect(reader: Reader): Promise<{ chunks: Uint8Array[]; rest: Read | undefined }> {
  const chunks: Uint8Array[] = []
  const turn = new Promise<undefined>((resolve) => setImmediate(resolve, undefined))
  for (;;) {
    const rest = reader.read()
    const result = await Promise.race([rest, turn])
    if (result === undefined) return { chunks, rest }
    if (result.done) return { chunks, rest: undefined }
    chunks.push(result.value)
  }
}
