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

const isItRunning = 'Is the sidecar running? To develop: npx gameserver-sidecar local'
const isItThePort = 'Is this the port of the sidecar?'

const hints: Partial<Record<SidecarErrorCode, string>> = {
  NOT_FOUND: 'Define it in the GameServer spec.',
  OUT_OF_RANGE: 'Stay within the capacity, or raise it first.',
  ALREADY_EXISTS: 'A list holds a value once.',
  FEATURE_DISABLED: 'Turn on the feature gate CountsAndLists.',
  UNIMPLEMENTED: isItThePort,
  UNAVAILABLE: isItRunning,
  TIMEOUT: isItRunning,
  UNKNOWN_OUTCOME: 'It may have happened: read before you repeat.',
  PROTOCOL: isItThePort,
  UNSAFE_INTEGER: "Use createClient({ int64: 'bigint' }).",
  CROSS_ORIGIN: 'Serve the page with: npx gameserver-sidecar serve',
}

export interface SidecarErrorDetails {
  /** The method that failed, such as `setLabel`. */
  operation?: string | undefined
  /** The HTTP status, where there was an answer. */
  status?: number | undefined
  hint?: string | undefined
  cause?: unknown
}

/** The only class of error this package throws, rejects with or emits. */
export class SidecarError extends Error {
  readonly code: SidecarErrorCode
  readonly operation: string | undefined
  readonly status: number | undefined
  /** What to do about it. */
  readonly hint: string | undefined
  override readonly cause: unknown

  constructor(code: SidecarErrorCode, message: string, details: SidecarErrorDetails = {}) {
    const { operation, status, cause, hint = hints[code] } = details
    super((operation ? operation + ': ' : '') + message + (hint ? '. ' + hint : ''))
    this.name = 'SidecarError'
    this.code = code
    this.operation = operation
    this.status = status
    this.hint = hint
    this.cause = cause
  }
}

/** The short form in which errors are made here. */
export function fail(
  code: SidecarErrorCode,
  message: string,
  operation?: string,
  cause?: unknown,
  hint?: string,
  status?: number,
): SidecarError {
  return new SidecarError(code, message, { operation, status, hint, cause })
}

/** Also true for an error of another copy of this package (two bundles, two realms). */
export function isSidecarError(error: unknown): error is SidecarError {
  return !!error && (error as SidecarError).name === 'SidecarError'
}
