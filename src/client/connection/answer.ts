import { operations, type OperationName } from '../../protocol/operations.js'
import { isGameServer } from '../game-server/game-server.js'
import { SidecarError, type SidecarErrorCode } from '../runtime/errors.js'
import { tryTo } from '../runtime/host.js'
import { crossOriginHint } from './endpoint.js'
import { parseRetryAfter } from './exchange.js'

export type JsonObject = Record<string, unknown>

/** How one attempt ended. */
export interface Attempted {
  /** The JSON object of a good answer; in direct mode, what the watch showed before the write. */
  readonly body?: JsonObject
  readonly error?: SidecarError
  /** True: somebody answered. False: nobody did. Undefined: this attempt says nothing about that. */
  readonly answered?: boolean | undefined
  /** The request can't have taken effect, so that it may be sent again. */
  readonly unsent?: boolean | undefined
  /** ms that the other side asks us to wait */
  readonly retryAfter?: number
  /** This page couldn't read an answer: the write was sent, and nothing more is known. */
  readonly unread?: boolean
}

/** The most characters of an answer that an error quotes. */
const EXCERPT = 1024

/** Whether it makes no difference if an operation is carried out twice. */
export function isSafe(operation: OperationName): boolean {
  return operations[operation][0] === 'GET' || operation === 'health'
}

/** Interprets an answer that was read whole. */
export function interpretAnswer(
  operation: OperationName,
  status: number,
  header: (name: string) => string | null,
  text: string,
): Attempted {
  const body = parseObject(text)
  if (body && status === 200)
    return operation !== 'getGameServer' || isGameServer(body)
      ? { body, answered: true }
      : { error: new SidecarError('PROTOCOL', 'The answer is not a GameServer', { status }), answered: true }
  // The sidecar's own word, and the gateway's, for a request that reached nobody.
  const unsent = !!body && body.code === GRPC_UNAVAILABLE
  // A gateway that got no answer can't know what has become of a write.
  const isLost = !unsent && !isSafe(operation) && (status === 502 || status === 504)
  const error = errorOfAnswer(status, text, isLost ? 'UNKNOWN_OUTCOME' : undefined)
  return {
    error,
    answered: error.code === 'UNAVAILABLE' ? undefined : true,
    unsent,
    retryAfter: parseRetryAfter(header('Retry-After')),
  }
}

/**
 * The error that an answer other than a good one stands for.
 * @param known its code, where the answer alone would be misunderstood
 */
export function errorOfAnswer(status: number, text: string, known?: SidecarErrorCode): SidecarError {
  const { message, code: grpcCode } = parseObject(text) ?? {}
  const said = typeof message === 'string' ? message : ''
  const code = known || classify(status, said, grpcCode)
  const excerpt = (said || text).slice(0, EXCERPT)
  return new SidecarError(code, `HTTP ${status}` + (excerpt && ': ' + excerpt), { status, hint: cureFor(code, said) })
}

/** The JSON object that a text holds, or undefined: nothing that comes from outside may throw here. */
export function parseObject(text: string): JsonObject | undefined {
  // trim() also takes a byte order mark away.
  const value = tryTo((): unknown => JSON.parse(text.trim()))
  return value && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : undefined
}

const GRPC_RESOURCE_EXHAUSTED = 8
const GRPC_UNAVAILABLE = 14

/**
 * The sidecar answers 500 with gRPC code 2 for most refusals, so that only its message tells them apart; local and
 * production mode word it differently, and a message may quote the user's own text after the words that count.
 */
const refusals: readonly (readonly [SidecarErrorCode, RegExp])[] = [
  ['UNIMPLEMENTED', /^no players for/],
  ['INVALID_ARGUMENT', /^invalid/],
  ['ALREADY_EXISTS', /^already exists/],
  ['OUT_OF_RANGE', /^out of range/],
  ['FEATURE_DISABLED', /^CountsAndLists not enabled/],
  ['NOT_FOUND', /^(counter |list )?not found/],
]

function classify(status: number, said: string, grpcCode: unknown): SidecarErrorCode {
  if (status === 403) return 'CROSS_ORIGIN'
  const isTooMuch = status === 413 || status === 429
  if (isTooMuch && grpcCode === GRPC_RESOURCE_EXHAUSTED) return 'LIMIT'
  if (isTooMuch || grpcCode === GRPC_UNAVAILABLE || status > 501) return 'UNAVAILABLE'
  if (!said) return status === 500 ? 'UNKNOWN' : 'PROTOCOL'
  if (status < 400) return 'PROTOCOL'
  if (status === 404 || status === 501) return 'UNIMPLEMENTED'
  if (status === 400) return 'INVALID_ARGUMENT'
  const [code] = refusals.find(([, pattern]) => pattern.test(said)) ?? []
  return code || 'UNKNOWN'
}

/** The cure, where the usual one for the code would mislead. */
function cureFor(code: SidecarErrorCode, said: string): string | undefined {
  if (code === 'CROSS_ORIGIN') return crossOriginHint()
  if (code === 'NOT_FOUND' && /value/i.test(said)) return 'The list does not hold this value'
  if (code !== 'OUT_OF_RANGE') return undefined
  if (/Found Count: -\d/.test(said)) return 'A count cannot go below 0'
  if (/Found Count: \d|available capacity/.test(said)) return 'Raise the capacity first'
  return 'A capacity is 0 or more, and of a list 1000 at most'
}
