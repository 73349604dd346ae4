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
  CROSS_ORIGIN: 'Serve page and sidecar from one origin.',
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
  declare readonly code: SidecarErrorCode
  declare readonly operation: string | undefined
  declare readonly status: number | undefined
  /** What to do about it. */
  declare readonly hint: string | undefined
  declare readonly cause: unknown

  constructor(code: SidecarErrorCode, message: string, details: SidecarErrorDetails = {}) {
    const { operation, hint = hints[code] } = details
    super((operation ? operation + ': ' : '') + message + (hint ? '. ' + hint : ''))
    Object.assign(this, details, { name: 'SidecarError', code, hint })
  }
}

/** The short form in which errors are made here; the scope of a call says which call it was, and what was answered. */
export function fail(
  code: SidecarErrorCode,
  message: string,
  scope?: { readonly _operation: string | undefined; readonly _status?: number },
  cause?: unknown,
  hint?: string,
): SidecarError {
  const { _operation: operation, _status: status } = scope || {}
  return new SidecarError(code, message, { operation, status, cause, hint })
}

/** Also true for an error of another copy of this package (two bundles, two realms). */
export function isSidecarError(error: unknown): error is SidecarError {
  return !!error && (error as SidecarError).name === 'SidecarError'
}

/** Throws unless the test passed: within a call because of its argument, otherwise because of an option. */
export function check(passed: unknown, what: string, value: unknown, wanted: string, scope?: Parameters<typeof fail>[2]): void {
  if (!passed)
    throw fail(
      scope ? 'INVALID_ARGUMENT' : 'CONFIG',
      what + ' is "' + String(value).slice(0, 80) + '"',
      scope,
      undefined,
      'Give ' + wanted + '.',
    )
}

/** What was thrown, if it is one of ours, or else an error of ours about it. */
export function toSidecarError(error: unknown, ...[code, message, scope]: Parameters<typeof fail>): SidecarError {
  return isSidecarError(error) ? error : fail(code, message, scope, error)
}
