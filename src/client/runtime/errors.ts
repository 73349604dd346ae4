/** Every `SidecarError.code`; cause and cure of each: `docs/errors.md`. */
export type SidecarErrorCode =
  | 'CONFIG'
  | 'INVALID_ARGUMENT'
  | 'NOT_FOUND'
  | 'OUT_OF_RANGE'
  | 'ALREADY_EXISTS'
  | 'FEATURE_DISABLED'
  | 'UNIMPLEMENTED'
  | 'UNAVAILABLE'
  | 'TIMEOUT'
  | 'UNKNOWN_OUTCOME'
  | 'PROTOCOL'
  | 'LIMIT'
  | 'UNSAFE_INTEGER'
  | 'CROSS_ORIGIN'
  | 'ABORTED'
  | 'CLOSED'
  | 'UNKNOWN'

const CHECK_PORT = "Is this the sidecar's port?"

/** The cure for each code, where an error brings none of its own. */
const hints: Partial<Record<SidecarErrorCode, string>> = {
  NOT_FOUND: 'Define it in the GameServer spec',
  ALREADY_EXISTS: 'A list holds each value once',
  FEATURE_DISABLED: 'Turn on the feature gate CountsAndLists',
  UNIMPLEMENTED: CHECK_PORT + ' A gateway may also deny this operation',
  UNAVAILABLE: 'Is the sidecar running?',
  UNKNOWN_OUTCOME: 'It may have happened: read before you send it again',
  PROTOCOL: CHECK_PORT,
  UNSAFE_INTEGER: "Use int64: 'bigint'",
  CROSS_ORIGIN: 'Serve both from one origin: npx gameserver-sidecar serve',
}

export interface SidecarErrorDetails {
  /** The method that failed, such as `setLabel`. */
  operation?: string | undefined
  /** The HTTP status, where there was an answer. */
  status?: number | undefined
  /** The cure; default: the usual one for the code. */
  hint?: string | undefined
  cause?: unknown
}

/** The only class of error this package throws, rejects with or emits. */
export class SidecarError extends Error {
  declare readonly code: SidecarErrorCode
  /** The message without operation and hint. */
  declare readonly summary: string
  declare readonly operation: string | undefined
  declare readonly status: number | undefined
  /** The cure. */
  declare readonly hint: string | undefined
  declare readonly cause: unknown

  constructor(
    code: SidecarErrorCode,
    summary: string,
    { operation, status, hint = hints[code], cause }: SidecarErrorDetails = {},
  ) {
    super((operation ? operation + ': ' : '') + summary + (hint ? '. ' + hint : ''))
    Object.assign(this, { name: 'SidecarError', code, summary, operation, status, hint, cause })
  }
}

/** Also true for an error of another copy of this package (two bundles, two realms). */
export function isSidecarError(error: unknown): error is SidecarError {
  return (Object(error) as Partial<Error>).name === 'SidecarError'
}

/** The same error under the name of the method that the caller knows: it may come from what was asked on its behalf. */
export function named(error: SidecarError, operation: string): SidecarError {
  return error.operation === operation
    ? error
    : new SidecarError(error.code, error.summary, Object.assign({}, error, { operation }))
}

/** Turns anything thrown into an error of ours: itself if it is one, else a new one with it as the cause. */
export function toSidecarError(error: unknown, code: SidecarErrorCode, summary: string, hint?: string): SidecarError {
  // It may be of another copy of this package, and is as good.
  return isSidecarError(error) ? error : new SidecarError(code, summary, { hint, cause: error })
}

/** Whether a later attempt may fare better. */
export function isPassing({ code }: SidecarError): boolean {
  return code === 'UNAVAILABLE' || code === 'TIMEOUT'
}

/** @throws SidecarError `LIMIT` where text from outside is longer than an option allows */
export function checkLength(text: string, limit: number, option: 'message' | 'body'): void {
  if (text.length > limit)
    throw new SidecarError('LIMIT', `The ${option} is longer than limits.${option} (${limit} characters)`, {
      hint: `Raise limits.${option} if this is right`,
    })
}

/** The error where the host lacks something that an option can give. */
export function missingGlobal(name: string): SidecarError {
  return new SidecarError('CONFIG', `There is no ${name} here`, { hint: `Give createClient({ ${name} })` })
}
