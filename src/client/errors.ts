/** Every code of a SidecarError. */
export type SidecarErrorCode =
  | 'CONFIG'
  | 'INVALID_ARGUMENT'
  | 'NOT_FOUND'
  | 'OUT_OF_RANGE'
  | 'ALREADY_EXISTS'
  | 'FEATURE_DISABLED'
  | 'FORBIDDEN'
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

export interface SidecarErrorDetails {
  /** The method that failed, such as `setLabel`. */
  operation?: string | undefined
  /** The HTTP status, if an answer came. */
  status?: number | undefined
  /** The cure, where the code alone doesn't tell it. */
  hint?: string | undefined
  cause?: unknown
}

/** The default cure for each code. */
const hints: Partial<Record<SidecarErrorCode, string>> = {
  UNAVAILABLE: 'Is the sidecar running? For development: npx gameserver-sidecar local',
  UNSAFE_INTEGER: "Use int64: 'bigint'",
}

/** The only class of error this package throws, rejects with or emits. */
export class SidecarError extends Error {
  declare readonly code: SidecarErrorCode
  /** The message without operation and hint. */
  declare readonly summary: string
  declare readonly operation: string | undefined
  declare readonly status: number | undefined
  /** The cure, where the code alone does not tell it. */
  declare readonly hint: string | undefined
  declare readonly cause: unknown

  constructor(code: SidecarErrorCode, summary: string, details: SidecarErrorDetails = {}) {
    const { operation, status, hint = hints[code], cause } = details
    super((operation ? operation + ': ' : '') + summary + (hint ? '. ' + hint : ''))
    const fields = { name: 'SidecarError', summary, operation, status, hint, cause }
    // Not enumerable, as Error's own: an error is printed with its code and its cause, and says nothing twice.
    for (const [field, value] of Object.entries(fields))
      if (value !== undefined) Object.defineProperty(this, field, { value, configurable: true, writable: true })
    this.code = code
  }
}

/** Also true for an error of another copy of this package (two bundles, two realms). */
export function isSidecarError(error: unknown): error is SidecarError {
  return (Object(error) as Partial<Error>).name === 'SidecarError'
}

/** Returns the same error with the name of the method that the caller called, which may have used other operations. */
export function named(error: SidecarError, operation: string): SidecarError {
  const { code, summary, status, hint, cause } = error
  return error.operation === operation ? error : new SidecarError(code, summary, { operation, status, hint, cause })
}

/** Turns anything thrown into a SidecarError: a SidecarError stays as it is, anything else becomes its cause. */
export function toSidecarError(cause: unknown, code: SidecarErrorCode, summary: string): SidecarError {
  return isSidecarError(cause) ? cause : new SidecarError(code, summary, { cause })
}

/** Whether a later attempt may succeed. */
export function isPassing({ code }: SidecarError): boolean {
  return code === 'UNAVAILABLE' || code === 'TIMEOUT'
}

/** @throws SidecarError `LIMIT` where text from outside is longer than an option allows */
export function checkLength(text: string, limit: number, option: 'message' | 'body'): void {
  if (text.length > limit)
    throw new SidecarError('LIMIT', `The ${option} is longer than limits.${option} (${limit} characters)`)
}

/** @param ms the time that was given */
export function timedOut(ms: number): SidecarError {
  return new SidecarError('TIMEOUT', `No answer within ${ms} ms`)
}

/** The error for a missing global that an option can supply. */
export function missingGlobal(name: string): SidecarError {
  return new SidecarError('CONFIG', `There is no ${name} here`, { hint: `Give createClient({ ${name} })` })
}
