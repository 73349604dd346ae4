/** Every code of an AllocationError. */
export type AllocationErrorCode =
  /** No GameServer matches now. A Fleet that grows has none for a moment. */
  | 'UNALLOCATED'
  /** Other requests were quicker. */
  | 'CONTENTION'
  /** The platform couldn't be asked, or refused before it acted: nothing was allocated. */
  | 'UNAVAILABLE'
  /** The request was sent and its answer is lost: a GameServer may be allocated. Never repeated by itself. */
  | 'UNKNOWN_OUTCOME'
  /** The platform refuses the request, or a field doesn't exist. */
  | 'INVALID_ARGUMENT'
  /** The account isn't known, or lacks the right to allocate. */
  | 'FORBIDDEN'
  /** There is no such namespace, or no platform at that address. */
  | 'NOT_FOUND'
  /** One side refuses the other's certificate. */
  | 'CERTIFICATE'
  /** An option is wrong, or no way to the platform was found. */
  | 'CONFIG'
  /** The answer isn't the platform's. */
  | 'PROTOCOL'
  /** The call's signal ended it. */
  | 'ABORTED'
  /** `close()` ended it. */
  | 'CLOSED'

export interface AllocationErrorDetails {
  readonly hint?: string | undefined
  readonly status?: number | undefined
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/** The outcome of an allocation that gave no GameServer. */
export class AllocationError extends Error {
  override readonly name = 'AllocationError'
  readonly code: AllocationErrorCode
  /** The fix. The message ends with it. */
  readonly hint: string | undefined
  /** The HTTP status, if an answer came. */
  readonly status: number | undefined
  /** ms after which the platform wants to be asked again, if it says so. */
  readonly retryAfter: number | undefined

  constructor(
    code: AllocationErrorCode,
    summary: string,
    { hint, status, retryAfter, cause }: AllocationErrorDetails = {},
  ) {
    super(hint === undefined ? summary : `${summary}. ${hint}`, cause === undefined ? undefined : { cause })
    this.code = code
    this.hint = hint
    this.status = status
    this.retryAfter = retryAfter
  }
}
