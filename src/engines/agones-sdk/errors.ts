import type { SidecarError, SidecarErrorCode } from '../../index.js'

/** An error of this client, with the fields that code for gRPC reads. */
export interface AgonesSDKError extends SidecarError {
  /** The gRPC status, which the official SDK also gives as `code`. */
  readonly grpcCode: number
  /** The sidecar's own message, if there is one; else the summary. */
  readonly details: string
}

/** The sidecar gives all of its own refusals (HTTP 500) code 2, which also replaces each code missing here. */
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

/** Resolves as a call of the client does, or rejects with the call's error and its gRPC code. */
export function withGrpcCode<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    throw toAgonesError(error as SidecarError)
  })
}
