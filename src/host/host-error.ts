/** Reasons for which a host ends, and the exit code that the command line gives each. */
export const HOST_EXIT_CODES = {
  USAGE: 64,
  /** The folder of the page, or the page in it, is missing. */
  NO_BUILD: 66,
  NO_BROWSER: 69,
  /** `webrtc` is on, and the package for data channels isn't installed. */
  MISSING_PEER: 69,
  /** The browser was found, but doesn't start. */
  LAUNCH_FAILED: 69,
  /** The page or its browser has crashed, hangs or has left. */
  CRASHED: 70,
  /** The page didn't make its first tick in time. */
  BOOT_TIMEOUT: 75,
} as const

export type HostErrorCode = keyof typeof HOST_EXIT_CODES

/** A reason for which a host can't start or has to end. */
export class HostError extends Error {
  override readonly name = 'HostError'
  readonly code: HostErrorCode
  /** What the command line exits with. */
  readonly exitCode: number
  /** The fix. The message ends with it. */
  readonly hint: string | undefined

  constructor(code: HostErrorCode, message: string, hint?: string, options?: ErrorOptions) {
    super(hint === undefined ? message : `${message} ${hint}`, options)
    this.code = code
    this.exitCode = HOST_EXIT_CODES[code]
    this.hint = hint
  }
}
