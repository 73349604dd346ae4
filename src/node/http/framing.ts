import type { IncomingMessage } from 'node:http'
import { malformed } from './refusal.js'
import type { Refusal } from './refusal.js'
import { headerValues } from './request-guard.js'

const OTHER_VERSION: Refusal = { status: 505, code: 12, message: 'Only HTTP/1.0 and HTTP/1.1 are spoken' }
const OTHER_CODING: Refusal = { status: 501, code: 12, message: 'The only transfer coding known is chunked' }

/** As many as anything that speaks HTTP ever sends, several times over. */
const MOST_HEADERS = 256

const TOO_MANY: Refusal = {
  status: 431,
  code: 8,
  message: `A request has at most ${MOST_HEADERS} headers`,
}

/**
 * Refuses what Node's parser takes although the end of the request is then a matter of opinion: where two
 * programs on a request's way differ about that, the rest of one becomes another that nobody asked for. And of
 * more than a thousand headers Node shows the first ones only, so that the guard wouldn't see the others.
 */
export function checkFraming({ httpVersion, rawHeaders }: IncomingMessage): Refusal | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return OTHER_VERSION
  if (rawHeaders.length > 2 * MOST_HEADERS) return TOO_MANY
  const codings = headerValues(rawHeaders, 'transfer-encoding')
  if (codings.length === 0) return undefined
  if (httpVersion === '1.0') return malformed('HTTP/1.0 has no Transfer-Encoding')
  return codings.join().toLowerCase() === 'chunked' ? undefined : OTHER_CODING
}

/** Whether a request says that something follows its head. */
export const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
