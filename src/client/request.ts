import type { GameServer } from '../protocol/game-server.js'
import { operations, stablePath, type Operation, type OperationName } from '../protocol/operations.js'
import {
  checkLength,
  isPassing,
  isSidecarError,
  SidecarError,
  type SidecarErrorCode,
  toSidecarError,
} from './errors.js'
import { tryTo } from './globals.js'
import { requestInit, type SendHttp } from './http.js'
import type { Task, Time } from './time.js'

export type JsonObject = Record<string, unknown>

/** A good answer, or a write that was sent in direct mode. */
export interface Answer {
  /** The answer's JSON object; in direct mode, the value before the write, if it could be read. */
  readonly body: JsonObject
  readonly error?: undefined
  readonly unsent?: undefined
  readonly retryAfter?: undefined
  readonly answered: true
  /** The write was sent, but this page couldn't read the answer. */
  readonly unread?: boolean
}

/** An attempt that failed. */
export interface Failure {
  readonly body?: undefined
  readonly error: SidecarError
  /** True: the sidecar or a proxy answered. False: nobody did. Undefined: unknown. */
  readonly answered?: boolean | undefined
  /** The request can't have taken effect, so it may be sent again. */
  readonly unsent?: boolean | undefined
  /** ms that the other side asks us to wait */
  readonly retryAfter?: number
}

/** How one attempt to send an operation ended. */
export type Reply = Answer | Failure

export interface Call {
  readonly operation: OperationName
  readonly body?: object | undefined
  /** The encoded name of a counter or list, with a query behind it if there is one. */
  readonly name?: string | undefined
  /** ms */
  readonly timeout: number
}

/** One attempt, without retry. Never rejects. */
export type Request = (task: Task, call: Call) => Promise<Reply>

/** How this host reaches the sidecar. */
export type Access = ReturnType<typeof createAccess>

/** @param baseUrl without a slash at its end */
export function createAccess(baseUrl: string, http: SendHttp, time: Time, limit: number) {
  const paths = { isStable: false }

  function send(task: Task, { operation, body = {}, name, timeout }: Call, isStable: boolean): Promise<Reply> {
    const [method, , shape] = operations[operation] as Operation
    let status: number
    let retryAfter: string | null | undefined
    let text = ''
    return time
      .wait<Reply>(
        task,
        (resolve, reject) =>
          http(urlOf(baseUrl, operation, name, isStable), requestInit(method, shape && JSON.stringify(body)), {
            onHead(code, header) {
              status = code
              retryAfter = header('Retry-After')
            },
            onText(piece) {
              text += piece
              checkLength(text, limit, 'body')
            },
            onEnd: () => resolve(interpretAnswer(operation, status, text, retryAfter)),
            onError: reject,
          }),
        timeout,
      )
      .catch((cause: unknown) => failedReply(baseUrl, task, cause, !isSafe(operation)))
  }

  return {
    baseUrl,
    http,
    /** Whether the sidecar has only the stable paths of counters and lists. */
    paths,
    /** Whether requests go out in direct mode, which never ends once it has begun. */
    isDirect: false,
    /** The error for an operation that can't be sent from here. */
    refuse: (_operation: string): SidecarError | undefined => undefined,

    async request(task: Task, call: Call): Promise<Reply> {
      const reply = await send(task, call, paths.isStable)
      if (!call.name || paths.isStable || !isMissing(reply)) return reply
      const other = await send(task, call, true)
      if (isMissing(other)) return reply
      paths.isStable = true
      return other
    },
  }
}

/** Whether a sidecar lacks the path: nothing was carried out. */
const isMissing = ({ error }: Reply): boolean => !!error && error.code === 'UNIMPLEMENTED' && error.status !== 500

export function urlOf(baseUrl: string, operation: OperationName, name?: string, isStable?: boolean): string {
  const path = operations[operation][1]
  return baseUrl + (isStable ? stablePath(path) : path).replace('{key}', () => name!)
}

/**
 * Interprets an attempt that got no answer.
 *
 * @param isRisky the request isn't idempotent and may have been carried out
 */
export function failedReply(baseUrl: string, task: Task, cause: unknown, isRisky: boolean): Failure {
  // The caller has given up, or a retry can't help.
  if (isSidecarError(cause) && !isPassing(cause)) return { error: cause }
  const unsent = wasRefused(cause)
  const error =
    isRisky && !unsent
      ? new SidecarError('UNKNOWN_OUTCOME', 'No answer to a request that was sent', { cause })
      : toSidecarError(cause, 'UNAVAILABLE', 'No answer from ' + baseUrl)
  return { error, answered: task.aborted ? undefined : false, unsent }
}

/** Whether the request was certainly not received. Each runtime words this differently; browsers don't tell. */
function wasRefused(error: unknown, depth = 0): boolean {
  const { code, message, cause } = Object(error) as Record<string, unknown>
  return REFUSED.test(`${String(code)} ${String(message)}`) || (!!cause && depth < 4 && wasRefused(cause, depth + 1))
}

const REFUSED = /refused|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT/i

/** The cure for a page whose origin isn't the sidecar's. */
export const ONE_ORIGIN = 'Run npx gameserver-sidecar serve and leave out baseUrl, or local --allow-origin ORIGIN'

/** The most characters of an answer that an error quotes. */
const EXCERPT = 1024

const GRPC_UNAVAILABLE = 14

/** Whether an operation is idempotent. */
export function isSafe(operation: OperationName): boolean {
  return operations[operation][0] === 'GET' || operation === 'health'
}

const hasFields = (value: unknown): value is JsonObject => !!value && typeof value === 'object'

/** Whether a value from outside has the shape that this client relies on. */
export function isGameServer(value: unknown): value is GameServer {
  return hasFields(value) && hasFields(value.object_meta) && hasFields(value.status)
}

/** Interprets a complete answer. */
function interpretAnswer(operation: OperationName, status: number, text: string, retryAfter?: string | null): Reply {
  const body = parseObject(text)
  if (body && status === 200 && (operation !== 'getGameServer' || isGameServer(body))) return { body, answered: true }
  // The sidecar and the gateway answer so when a request reached nobody.
  const unsent = !!body && body.code === GRPC_UNAVAILABLE
  // A gateway that got no answer doesn't know whether the write took effect.
  const isLost = !unsent && !isSafe(operation) && (status === 502 || status === 504)
  const error = errorOfAnswer(status, text, isLost ? 'UNKNOWN_OUTCOME' : undefined)
  return {
    error,
    answered: error.code === 'UNAVAILABLE' ? undefined : true,
    unsent,
    retryAfter: parseRetryAfter(retryAfter || ''),
  }
}

/**
 * The error for a failed answer.
 *
 * @param known the code to use where the answer alone would give a wrong one
 */
export function errorOfAnswer(status: number, text: string, known?: SidecarErrorCode): SidecarError {
  const { message, code: grpcCode } = parseObject(text) ?? {}
  const said = typeof message === 'string' ? message : ''
  const answer = `${status} ${typeof grpcCode === 'number' ? grpcCode : '-'} ${said}`
  const code =
    known || (Object.keys(codes) as SidecarErrorCode[]).find((name) => codes[name]!.test(answer)) || 'UNKNOWN'
  // Control characters would steer the terminal that prints the error.
  const excerpt = (said || text).slice(0, EXCERPT).replace(/[^ -~\u00a0-\uffff]+/g, ' ')
  const hint = code === 'CROSS_ORIGIN' ? ONE_ORIGIN : undefined
  return new SidecarError(code, `HTTP ${status}` + (excerpt && ': ' + excerpt), { status, hint })
}

/** Parses a JSON object. Returns undefined for anything else; never throws. */
export function parseObject(text: string): JsonObject | undefined {
  // trim() also takes a byte order mark away.
  const value = tryTo((): unknown => JSON.parse(text.trim()))
  return hasFields(value) && !Array.isArray(value) ? value : undefined
}

/**
 * The error code for an answer: the first rule that matches its status, its gRPC code and its message. The sidecar
 * answers 500 with gRPC code 2 for most refusals, so that only the message tells them apart; local and production mode
 * word it differently, and a message may quote the user's own text after the words that count.
 */
const codes: Partial<Record<SidecarErrorCode, RegExp>> = {
  CROSS_ORIGIN: /^403/,
  // The sidecar's RESOURCE_EXHAUSTED means that the body is too long, not a rate limit.
  LIMIT: /^4(13|29) 8 /,
  UNAVAILABLE: /^4(13|29)|^\d+ 14 |^5(0[2-9]|[1-9])|^[6-9]/,
  UNKNOWN: /^500 \S+ $/,
  PROTOCOL: /^[123]|^\d+ \S+ $/,
  UNIMPLEMENTED: /^(404|501|500 \S+ no players for)/,
  INVALID_ARGUMENT: /^(400|\d+ \S+ invalid)/,
  ALREADY_EXISTS: /^\d+ \S+ already exists/,
  OUT_OF_RANGE: /^\d+ \S+ out of range/,
  FEATURE_DISABLED: /^\d+ \S+ CountsAndLists not enabled/,
  NOT_FOUND: /^\d+ \S+ (counter |list )?not found/,
  // From 1.55 on, `updateList` needs a right that the platform's role for sidecars lacks.
  FORBIDDEN: /^\d+ \S+ (no gameservers for fleet|failed to get GameServer)/,
}

/** ms to wait, from a Retry-After of seconds or a date, 30 s at most; 0 for any other value. */
function parseRetryAfter(text: string): number {
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : /^\w{3}, /.test(text) ? Date.parse(text) - Date.now() : 0
  return ms > 0 ? Math.min(ms, 30000) : 0
}
