import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { answerRefusal, refuseRaw } from './raw-response.js'
import { malformed } from './refusal.js'
import type { Refusal, RefusalForm } from './refusal.js'

/** An error of Node's parser, with the bytes that it could not read. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 8, message: 'The headers are larger than 16 KiB' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 4, message: 'The request took too long to arrive' },
}

const METHOD_NOT_ALLOWED: Refusal = { status: 501, code: 12, message: 'Method Not Allowed' }

/**
 * Answers bytes that can't be read as HTTP. An earlier request on the same connection has its own answer, which must not
 * be replaced. If that answer is the last on its connection, nothing may follow it.
 *
 * @param last the answer to the last request that was understood
 */
export function answerClientError(
  error: ClientError,
  socket: Duplex,
  last: ServerResponse | undefined,
  form: RefusalForm,
): void {
  // A client that doesn't speak TLS can't be answered in TLS.
  const isGone = /^(ECONNRESET$|ERR_(SSL|TLS)_)/.test(error.code ?? '')
  const isHalfSent = last !== undefined && last.headersSent && !last.writableEnded
  if (isGone || isHalfSent || !socket.writable) {
    socket.destroy()
    return
  }
  const refusal = refusalOf(error)
  if (last === undefined) return refuseRaw(socket, refusal, undefined, form)
  if (!last.req.complete && !last.headersSent) {
    // The bytes belong to this request's body, so its own answer refuses them. It waits for those to earlier requests.
    last.shouldKeepAlive = false
    answerRefusal(last, refusal, undefined, form)
    // Once the answer has left, Node no longer tells readers of the body that the rest won't come.
    socket.once('close', () => last.req.destroy())
    return endAfter(last, socket)
  }
  if (last.req.complete && last.writableFinished && last.shouldKeepAlive)
    return refuseRaw(socket, refusal, undefined, form)
  endAfter(last, socket)
}

/** Ends a connection after an answer, which is the last on it. */
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

/** The parser refuses methods that it doesn't know. Those that it knows reach the routes, which refuse them alike. */
function refusalOf({ code = '', rawPacket }: ClientError): Refusal {
  const isRequest = /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r\n/.test(rawPacket?.toString('latin1') ?? '')
  if (code === 'HPE_INVALID_METHOD' && isRequest) return METHOD_NOT_ALLOWED
  return REFUSALS[code] ?? malformed('The request is malformed')
}
