import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { answerRefusal, refuseRaw } from './raw-response.js'
import { malformed } from './refusal.js'
import type { Refusal } from './refusal.js'

/** What Node's parser reports, with the bytes it stumbled over. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 8, message: 'The headers are larger than 16 KiB' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 4, message: 'The request took too long to arrive' },
}

const METHOD_NOT_ALLOWED: Refusal = { status: 501, code: 12, message: 'Method Not Allowed' }

/**
 * Answers what couldn't be parsed as HTTP. A request that came before it on the same connection has its own
 * answer, which this must neither replace nor follow where that one was the last.
 *
 * @param last the answer to the last request that was understood
 */
export function answerClientError(error: ClientError, socket: Duplex, last: ServerResponse | undefined): void {
  // What isn't TLS where TLS is spoken can't be answered in it.
  const gone = /^(ECONNRESET$|ERR_(SSL|TLS)_)/.test(error.code ?? '')
  const halfSent = last !== undefined && last.headersSent && !last.writableEnded
  if (gone || halfSent || !socket.writable) {
    socket.destroy()
    return
  }
  const refusal = refusalOf(error)
  if (last === undefined) return refuseRaw(socket, refusal)
  if (!last.req.complete && !last.headersSent) {
    // Through its own answer, which waits for those to earlier requests.
    last.shouldKeepAlive = false
    answerRefusal(last, refusal)
    // Whoever waits for the rest of the body isn't told by Node once the answer has left.
    socket.once('close', () => last.req.destroy())
    return endAfter(last, socket)
  }
  if (last.req.complete && last.writableFinished && last.shouldKeepAlive) return refuseRaw(socket, refusal)
  endAfter(last, socket)
}

/** Lets an answer leave, the last on its connection. */
function endAfter(reply: ServerResponse, socket: Duplex): void {
  if (reply.writableFinished) {
    socket.end(() => socket.destroy())
    return
  }
  if (ending.has(reply)) return
  ending.add(reply)
  reply.shouldKeepAlive = false
  reply.once('close', () => socket.end(() => socket.destroy()))
}

const ending = new WeakSet<ServerResponse>()

/** Methods that the parser doesn't know at all; known ones that no route has are answered by the sidecar. */
function refusalOf({ code = '', rawPacket }: ClientError): Refusal {
  const isRequest = /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r\n/.test(rawPacket?.toString('latin1') ?? '')
  if (code === 'HPE_INVALID_METHOD' && isRequest) return METHOD_NOT_ALLOWED
  return REFUSALS[code] ?? malformed('The request is malformed')
}
