import { plainText } from '../node/plain-text.js'

/** What the commands exit with; tables: `docs/cli.md`, and `docs/host.md` for `host`. */
export const EXIT = {
  DONE: 0,
  /** A check, a scenario or a selector failed, or the sidecar refused a call. */
  FAILED: 1,
  /** The command line can't be carried out as it stands. */
  USAGE: 64,
  /** A file that is named isn't there. */
  NO_FILE: 66,
  /** No sidecar answers, or the port is taken. */
  NO_SIDECAR: 69,
  /** The time is over. */
  TIME_OVER: 75,
  /** Told to end by Ctrl-C. */
  INTERRUPTED: 130,
  /** Told to end by SIGTERM. */
  TERMINATED: 143,
} as const

/** What a command that a signal has ended exits with. */
export const exitOfSignal = (signal: string): number => (signal === 'SIGINT' ? EXIT.INTERRUPTED : EXIT.TERMINATED)

/** A mistake in the command line. The command prints its message, one sentence, and nothing else. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What keeps a command from doing its work. It prints the message, one sentence, and ends with the exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: number

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
}

/** Says why a file that was named can't be read. */
export function unreadable(what: string, error: unknown): UsageError | CommandError {
  const { code = '', message } = error as NodeJS.ErrnoException
  const sentence = `Cannot read ${plainText(what)}: ${reasons[code] ?? message}.`
  return code === 'ENOENT'
    ? new CommandError(EXIT.NO_FILE, sentence, { cause: error })
    : new UsageError(sentence, { cause: error })
}
