import { CommandError, UsageError } from './context.js'
import { EXIT } from './exit-codes.js'
import { findPortOwner } from './find-sidecar.js'

/** The port and address that a server tried to listen on, and the flags that set them. */
export interface Place {
  readonly port: number
  readonly portFlag: string
  /** Default: the IPv4 loopback, which no flag sets. */
  readonly address?: string
  readonly addressFlag?: string
}

/** Why a server could not start, and the fix, as one sentence. */
export function startFailure(error: unknown, place: Place, owner?: string): string {
  const { port, portFlag, address = '127.0.0.1', addressFlag = portFlag } = place
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is ${owner === undefined ? 'already in use' : `used by ${owner}`}; choose another with ${portFlag}, or 0 for any free one.`
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

/** The error that ends the command; a taken port and a missing file have their own exit codes. */
export async function startError(error: unknown, place: Place): Promise<UsageError | CommandError> {
  const { code, name: kind, cause } = error as NodeJS.ErrnoException
  // By name, since importing the class would load the YAML parser.
  if (kind === 'GameServerFileError' && (cause as NodeJS.ErrnoException).code === 'ENOENT') {
    return new CommandError(EXIT.NO_FILE, startFailure(error, place), { cause: error })
  }
  if (code !== 'EADDRINUSE') return new UsageError(startFailure(error, place), { cause: error })
  const owner = await findPortOwner(place.port)
  return new CommandError(EXIT.NO_SIDECAR, startFailure(error, place, owner), { cause: error })
}

/** Makes the listener of a failed start, which throws the error that ends the command. */
export const failStart =
  (place: Place) =>
  async (error: unknown): Promise<never> => {
    throw await startError(error, place)
  }
