import type { SidecarError, SidecarErrorCode } from '../index.js'

/** An error of this client, with what code that was written for gRPC looks at. */
export interface AgonesSDKError extends SidecarError {
  /** The number that the official SDK has as `code`. */
  readonly grpcCode: number
  /** The sidecar's own sentence, where it has said one; else the summary. */
  readonly details: string
}

/** The sidecar gives all of its own refusals (HTTP 500) the code 2, as it does every code that is missing here. */
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

/** What a call of the client resolves with; or its error, with the gRPC code. */
export function told<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    throw toAgonesError(error as SidecarError)
  })
}
