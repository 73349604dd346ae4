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

/** The port and address that a server tried to listen on, and the flags that set them. */
export interface Place {
  readonly port: number
  readonly portFlag: string
  /** Default: the IPv4 loopback, which no flag sets. */
  readonly address?: string
  readonly addressFlag?: string
}

/** What an error of a start may have. `exitCode` is that of a program or page that can't be started. */
interface StartError extends NodeJS.ErrnoException {
  readonly cause?: NodeJS.ErrnoException
  readonly exitCode?: number
}

/** Why a server could not start, and the fix, as one sentence. */
function startFailure(error: unknown, place: Place): string {
  const { port, portFlag, address = '127.0.0.1', addressFlag = portFlag } = place
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is already in use; choose another with ${portFlag}, or 0 for any free one.`
    case 'EACCES':
      return `This user may not listen on port ${port}; choose another with ${portFlag}.`
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `This machine has no address ${address}; choose another with ${addressFlag}.`
    default:
      return /[.?!]$/.test(message) ? message : `${message}.`
  }
}

/** The error that ends the command; a taken port, a missing file and a game that can't start have their own exit codes. */
export function startError(error: unknown, place: Place): UsageError | CommandError {
  const { code, name: kind, cause, exitCode } = error as StartError
  // By name, since importing the class would load the YAML parser.
  const isMissing = kind === 'GameServerFileError' && cause?.code === 'ENOENT'
  const exit = exitCode ?? (isMissing ? EXIT.NO_FILE : code === 'EADDRINUSE' ? EXIT.NO_SIDECAR : undefined)
  const message = startFailure(error, place)
  return exit === undefined
    ? new UsageError(message, { cause: error })
    : new CommandError(exit, message, { cause: error })
}

/** Makes the listener of a failed start, which throws the error that ends the command. Several ports have a place each. */
export const failStart =
  (place: Place | ((error: unknown) => Place)) =>
  (error: unknown): never => {
    throw startError(error, typeof place === 'function' ? place(error) : place)
  }
