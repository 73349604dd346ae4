import { plainText, unreadableReason } from '../local/files.js'

/** Exit codes of all commands but `host`, which has its own. The docs list both. */
export const EXIT = {
  DONE: 0,
  /** A check or a selector failed, or the sidecar refused a call. */
  FAILED: 1,
  USAGE: 64,
  NO_FILE: 66,
  /** No sidecar answers, or the port is taken. */
  NO_SIDECAR: 69,
  TIME_OVER: 75,
  /** Ended by Ctrl-C. */
  INTERRUPTED: 130,
  /** Ended by SIGTERM. */
  TERMINATED: 143,
} as const

/** The exit code of a command that a signal ended. */
export const exitOfSignal = (signal: string): number => (signal === 'SIGINT' ? EXIT.INTERRUPTED : EXIT.TERMINATED)

/** A mistake in the command line. The command prints only this message, which is one sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A failure of a command, which prints the message and ends with this exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: number

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The error of a command whose file can't be read. */
export function unreadable(what: string, error: unknown): UsageError | CommandError {
  const sentence = `Cannot read ${plainText(what)}: ${unreadableReason(error)}.`
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
    ? new CommandError(EXIT.NO_FILE, sentence, { cause: error })
    : new UsageError(sentence, { cause: error })
}

/** The name of a package that an `import()` hasn't found. */
export function missingPackage(error: unknown): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'ERR_MODULE_NOT_FOUND' ? /^Cannot find package '([^']+)'/.exec(message)?.[1] : undefined
}
