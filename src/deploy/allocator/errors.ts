/** Every code of an AllocationError. */
export type AllocationErrorCode =
  | 'UNALLOCATED' // No GameServer matches now. A Fleet that grows has none for a moment.
  | 'CONTENTION' // Other requests were quicker.
  | 'UNAVAILABLE' // The platform couldn't be asked, or refused before it acted: nothing was allocated.
  | 'UNKNOWN_OUTCOME' // The request was sent and its answer is lost: a GameServer may be allocated.
  | 'INVALID_ARGUMENT' // The platform refuses the request, or a field doesn't exist.
  | 'FORBIDDEN' // The account isn't known, or lacks the right to allocate.
  | 'NOT_FOUND' // There is no such namespace, or no platform at that address.
  | 'CERTIFICATE' // One side refuses the other's certificate.
  | 'CONFIG' // An option is wrong, or no way to the platform was found.
  | 'PROTOCOL' // The answer isn't the platform's.
  | 'ABORTED' // The call's signal ended it.
  | 'CLOSED' // `close()` ended it.

/** The outcome of an allocation that gave no GameServer. */
export class AllocationError extends Error {
  override readonly name = 'AllocationError'
  readonly code: AllocationErrorCode
  /** The fix. The message ends with it. */
  readonly hint: string | undefined
  /** The HTTP status, if an answer came. */
  readonly status: number | undefined

  constructor(
    code: AllocationErrorCode,
    summary: string,
    { hint, status, cause }: Partial<Pick<AllocationError, 'hint' | 'status' | 'cause'>> = {},
  ) {
    super(hint === undefined ? summary : `${summary}. ${hint}`, cause === undefined ? undefined : { cause })
    this.code = code
    this.hint = hint
    this.status = status
  }
}
