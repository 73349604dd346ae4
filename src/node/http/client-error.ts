import type { Duplex } from 'node:stream'
import { refuseRaw } from './raw-response.js'
import { malformed } from './refusal.js'
import type { Refusal } from './refusal.js'

/** What Node's parser reports, with the bytes it stumbled over. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 8, message: 'The headers are larger than 16 KiB' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 4, message: 'The request took too long to arrive' },
}

const METHOD_NOT_ALLOWED: Refusal = { status: 501, code: 12, message: 'Method Not Allowed' }

/** Answers what couldn't be parsed as HTTP, unless an answer has already begun on that connection. */
export function answerClientError(error: ClientError, socket: Duplex, answering: boolean): void {
  // What isn't TLS where TLS is spoken can't be answered in it.
  const gone = /^(ECONNRESET$|ERR_(SSL|TLS)_)/.test(error.code ?? '')
  if (gone || answering || !socket.writable) {
    socket.destroy()
    return
  }
  refuseRaw(socket, refusalOf(error))
}

/** Methods that the parser doesn't know at all; known ones that no route has are answered by the sidecar. */
function refusalOf({ code = '', rawPacket }: ClientError): Refusal {
  const isRequest = /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r\n/.test(rawPacket?.toString('latin1') ?? '')
  if (code === 'HPE_INVALID_METHOD' && isRequest) return METHOD_NOT_ALLOWED
  return REFUSALS[code] ?? malformed('The request is malformed')
}
