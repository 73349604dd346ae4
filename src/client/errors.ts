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

const hints: Partial<Record<SidecarErrorCode, string>> = {
  NOT_FOUND: 'Counters and lists must be defined in the GameServer spec.',
  OUT_OF_RANGE: 'Raise the capacity first, or send less.',
  ALREADY_EXISTS: 'A list holds a value once.',
  FEATURE_DISABLED: 'Turn on the feature gate CountsAndLists.',
  UNIMPLEMENTED: 'Is this port the sidecar, and is it new enough?',
  UNAVAILABLE: 'Is the sidecar running? In development: npx gameserver-sidecar local',
  UNKNOWN_OUTCOME: 'It may have happened: read the state before trying again.',
  PROTOCOL: 'Is this port the sidecar?',
  UNSAFE_INTEGER: "Use createClient({ int64: 'bigint' }).",
  CROSS_ORIGIN: 'A page must have one origin with the sidecar: npx gameserver-sidecar serve',
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
    const hint = details.hint ?? hints[code]
    const { operation } = details
    super((operation ? operation + ': ' : '') + message + (hint ? '. ' + hint : ''))
    this.name = 'SidecarError'
    this.code = code
    this.operation = operation
    this.status = details.status
    this.hint = hint
    this.cause = details.cause
  }
}

/** Also true for an error of another copy of this package (two bundles, two realms). */
export function isSidecarError(error: unknown): error is SidecarError {
  return error instanceof Error && error.name === 'SidecarError'
}
