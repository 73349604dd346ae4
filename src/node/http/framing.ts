import type { IncomingMessage } from 'node:http'
import { malformed } from './refusal.js'
import type { Refusal } from './refusal.js'
import { headerValues } from './request-guard.js'

const OTHER_VERSION: Refusal = { status: 505, code: 12, message: 'Only HTTP/1.0 and HTTP/1.1 are spoken' }
const OTHER_CODING: Refusal = { status: 501, code: 12, message: 'The only transfer coding known is chunked' }

const OTHER_UPGRADE = malformed('The only protocol to upgrade to is websocket')
export const BODY_IN_UPGRADE = malformed('A request to upgrade has no body')

/** Several times as many as any client sends. */
const MOST_HEADERS = 256

const TOO_MANY: Refusal = {
  status: 431,
  code: 8,
  message: `A request has at most ${MOST_HEADERS} headers`,
}

/**
 * Refuses requests whose end two programs could see in different places, though Node's parser takes them: the rest of
 * one request would become another that nobody sent. Refuses many headers too, because Node shows only the first
 * thousand or so, and the guard would not see the others.
 */
export function checkFraming({ httpVersion, rawHeaders }: IncomingMessage): Refusal | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return OTHER_VERSION
  if (rawHeaders.length > 2 * MOST_HEADERS) return TOO_MANY
  const codings = headerValues(rawHeaders, 'transfer-encoding')
  if (codings.length === 0) return undefined
  if (httpVersion === '1.0') return malformed('HTTP/1.0 has no Transfer-Encoding')
  return codings.join().toLowerCase() === 'chunked' ? undefined : OTHER_CODING
}

/** Refuses requests to upgrade that leave open where the WebSocket begins, or that ask for another protocol. */
export function checkUpgrade(message: IncomingMessage): Refusal | undefined {
  const framing = checkFraming(message)
  if (framing !== undefined) return framing
  if (announcesBody(message)) return BODY_IN_UPGRADE
  return isForWebSocket(message) ? undefined : OTHER_UPGRADE
}

export const isForWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket'

/** Whether the head of a request announces a body. */
export const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
