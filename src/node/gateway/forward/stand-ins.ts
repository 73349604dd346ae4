import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'

/** What is to go to the sidecar of a client's request. */
export interface Sent {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/**
 * What the proxy gets in place of the client's message, whose every header it would send: only what is to go
 * on. It ends when the body does, and not with the client.
 */
export function standInForMessage({ method, socket }: IncomingMessage, { path, headers, body }: Sent): IncomingMessage {
  const stream = new Readable({ read: () => void stream.push(null) })
  if (body.byteLength > 0) stream.push(body)
  const head = { method, url: path, headers: { ...headers }, httpVersion: '1.1', httpVersionMajor: 1, socket }
  return Object.assign(stream, head) as unknown as IncomingMessage
}

/**
 * What the proxy gets in place of the client's reply, which it only watches for its end: a call is passed on
 * although its client left, for `abandonedMs`. It may only not have waited for the answer, as a closing page
 * does.
 */
export function standInForReply(reply: ServerResponse, abandonedMs: number): ServerResponse {
  const end = (): void => void standIn.emit('close')
  const standIn = Object.assign(new EventEmitter(), {
    headersSent: false,
    finished: false,
    writableFinished: false,
    destroyed: false,
    destroy(): void {
      standIn.destroyed = true
      reply.destroy()
    },
  })
  reply.once('close', () => {
    // Of HTTP/2, one that a client gave up counts as finished too, though nobody has ended it.
    standIn.writableFinished = reply.writableEnded && reply.writableFinished
    if (standIn.writableFinished || abandonedMs === 0) end()
    else setTimeout(end, abandonedMs).unref()
  })
  return standIn as unknown as ServerResponse
}
