import type { Limits } from './types.js'

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

const isItRunning = 'Is the sidecar running? Try: npx gameserver-sidecar local'
const isItThePort = "Is this the sidecar's port?"

const hints: Partial<Record<SidecarErrorCode, string>> = {
  NOT_FOUND: 'Define it in the GameServer spec.',
  OUT_OF_RANGE: 'Raise the capacity first.',
  ALREADY_EXISTS: 'A list holds a value once.',
  FEATURE_DISABLED: 'Turn on feature gate CountsAndLists.',
  UNIMPLEMENTED: isItThePort + ' Or is it denied?',
  UNAVAILABLE: isItRunning,
  TIMEOUT: isItRunning,
  UNKNOWN_OUTCOME: 'It may have happened: read first.',
  PROTOCOL: isItThePort,
  UNSAFE_INTEGER: "Use int64: 'bigint'.",
  CROSS_ORIGIN: 'Serve both from one origin: npx gameserver-sidecar serve',
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

/** What an error is about. The scope of a call is one: it knows which call that is, and what was answered. */
export interface Subject {
  readonly _operation: string | undefined
  readonly _status?: number
}

/** The short form in which errors are made here. */
export function fail(
  code: SidecarErrorCode,
  message: string,
  subject?: Subject,
  hint?: string,
  cause?: unknown,
): SidecarError {
  const { _operation: operation, _status: status } = subject || {}
  return new SidecarError(code, message, { operation, status, cause, hint })
}

/** Throws where text from outside is longer than a limit. */
export function checkLength(limits: Limits, what: keyof Limits, text: string, subject: Subject): void {
  if (text.length > limits[what]!) throw fail('LIMIT', 'It is too long', subject, 'Raise limits.' + what + '.')
}

/** What a host lacks, and an option can give. */
export function isMissing(name: string, subject: Subject): SidecarError {
  return fail('CONFIG', 'No ' + name + ' here', subject, 'Give createClient({ ' + name + ' }).')
}

/** Also true for an error of another copy of this package (two bundles, two realms). */
export function isSidecarError(error: unknown): error is SidecarError {
  return !!error && (error as SidecarError).name === 'SidecarError'
}

/** Throws unless the test passed: where a call is the subject because of its argument, otherwise because of an option. */
export function check(passed: unknown, what: string, value: unknown, wanted: string, subject?: Subject): void {
  if (!passed)
    throw fail(
      subject ? 'INVALID_ARGUMENT' : 'CONFIG',
      what + ' is "' + String(value).slice(0, 80) + '"',
      subject,
      'Give ' + wanted + '.',
    )
}

/** What was thrown, if it is one of ours, or else an error of ours about it. */
export function toSidecarError(
  error: unknown,
  code: SidecarErrorCode,
  message: string,
  subject: Subject,
): SidecarError {
  return isSidecarError(error) ? error : fail(code, message, subject, undefined, error)
}
