import { plainText } from '../../protocol/plain-text.js'

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

/** The most characters of a message: a FORBIDDEN's hint has two commands. */
const LONGEST = 2_000

/** The outcome of an allocation that gave no GameServer. */
export class AllocationError extends Error {
  declare readonly code: AllocationErrorCode
  /** The message without the hint, for players. */
  declare readonly summary: string
  /** The fix, for developers. The message ends with it. */
  declare readonly hint: string | undefined
  /** The HTTP status, if an answer came. */
  declare readonly status: number | undefined

  constructor(
    code: AllocationErrorCode,
    said: string,
    { hint: fix, status, cause }: Partial<Pick<AllocationError, 'hint' | 'status' | 'cause'>> = {},
  ) {
    // What a server says may hold characters that steer a terminal.
    const [summary, hint] = [plainText(said, LONGEST), fix && plainText(fix, LONGEST)]
    super(hint === undefined ? summary : `${summary}. ${hint}`, cause === undefined ? undefined : { cause })
    // Node prints an error's enumerable fields below its message, which has these already.
    const hidden = { name: 'AllocationError', summary, hint }
    for (const [field, value] of Object.entries(hidden)) Object.defineProperty(this, field, { value })
    Object.assign(this, { code, ...(status !== undefined && { status }) })
  }
}
