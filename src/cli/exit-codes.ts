import { parseObject } from '../client/request.js'
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

/** ms for the owner of a taken port to say that it is a sidecar. */
const PATIENCE_MS = 3_000

/** Why a server could not start, and the fix, as one sentence. */
function startFailure(error: unknown, place: Place, isSidecars = false): string {
  const { port, portFlag, address = '127.0.0.1', addressFlag = portFlag } = place
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is ${isSidecars ? 'used by another sidecar' : 'already in use'}; choose another with ${portFlag}, or 0 for any free one.`
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
export async function startError(error: unknown, place: Place): Promise<UsageError | CommandError> {
  const { code, name: kind, cause, exitCode } = error as StartError
  const fail = (exit: number, isSidecars?: boolean): CommandError =>
    new CommandError(exit, startFailure(error, place, isSidecars), { cause: error })
  if (exitCode !== undefined) return fail(exitCode)
  // By name, since importing the class would load the YAML parser.
  if (kind === 'GameServerFileError' && cause?.code === 'ENOENT') return fail(EXIT.NO_FILE)
  if (code === 'EADDRINUSE') return fail(EXIT.NO_SIDECAR, await hasSidecar(place.port))
  return new UsageError(startFailure(error, place), { cause: error })
}

async function hasSidecar(port: number): Promise<boolean> {
  // Loads TLS, which commands that start a sidecar don't need.
  const { ask } = await import('./ask.js')
  const { text } = await ask(`http://127.0.0.1:${port}/gameserver`, { patience: PATIENCE_MS })
  return 'object_meta' in (parseObject(text) ?? {})
}

/** Makes the listener of a failed start, which throws the error that ends the command. */
export const failStart =
  (place: Place) =>
  async (error: unknown): Promise<never> => {
    throw await startError(error, place)
  }
