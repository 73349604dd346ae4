import { parseObject } from '../client/request.js'
import { CommandError, EXIT, UsageError } from './exit-codes.js'

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
