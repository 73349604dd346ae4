import { isSidecarError, SidecarError, type SidecarErrorCode } from '../index.js'

/** An error of this client, with what code that was written for gRPC looks at. */
export interface AgonesSDKError extends SidecarError {
  /** The number that the official SDK has as `code`. */
  readonly grpcCode: number
  /** The sidecar's own sentence, where it has said one; else the summary. */
  readonly details: string
}

/** The sidecar itself gives all of its own refusals the code 2, which is what stands for every code that is not here. */
const grpcCodes: Partial<Record<SidecarErrorCode, number>> = {
  ABORTED: 1,
  CLOSED: 1,
  INVALID_ARGUMENT: 3,
  TIMEOUT: 4,
  LIMIT: 8,
  UNIMPLEMENTED: 12,
  PROTOCOL: 13,
  UNAVAILABLE: 14,
  UNKNOWN_OUTCOME: 14,
}
const UNKNOWN = 2

export function toAgonesError(error: SidecarError): AgonesSDKError {
  const { code, summary, status } = error
  return Object.assign(error, {
    grpcCode: (status !== 500 && grpcCodes[code]) || UNKNOWN,
    details: summary.replace(/^HTTP \d+: /, ''),
  })
}

/** What a call resolves with; what it rejects with as an error that also says what gRPC says. */
export async function told<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw isSidecarError(error) ? toAgonesError(error) : error
  }
}

/** @throws AgonesSDKError `INVALID_ARGUMENT` unless the test passed */
export function check(passed: boolean, name: string, value: unknown, wanted: string, operation: string): void {
  if (passed) return
  const got = typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : typeof value
  const shown = typeof value === 'number' ? String(value) : got
  throw toAgonesError(
    new SidecarError('INVALID_ARGUMENT', `${name} must be ${wanted}; got ${shown}`, { operation, hint: '' }),
  )
}

/** What would only fail once it is called, within the client, fails here. */
export function checkCallback(value: unknown, name: string, operation: string, isOptional = false): void {
  const isNone = isOptional && (value === undefined || value === null)
  check(isNone || typeof value === 'function', name, value, 'a function', operation)
}
