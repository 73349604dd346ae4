import { CommandError, UsageError } from './context.js'
import { EXIT } from './exit-codes.js'

/** The port and address that a server tried to listen on, and the flags that set them. */
export interface Place {
  readonly port: number
  readonly portFlag: string
  readonly address: string
  readonly addressFlag: string
}

/** Says in one sentence why a server could not start, and the fix if there is one. */
export function startFailure(error: unknown, { port, portFlag, address, addressFlag }: Place, owner?: string): string {
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is ${owner === undefined ? 'already in use' : `used by ${owner}`}; choose another with ${portFlag}, or 0 for any free one.`
    case 'EACCES':
      return `Port ${port} may not be used by this user; choose another with ${portFlag}.`
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `This machine has no address ${address}; choose another with ${addressFlag}.`
    default:
      return /[.?!]$/.test(message) ? message : `${message}.`
  }
}

/** The same as an error that ends the command: a taken port and a file that isn't there have exit codes of their own. */
export async function startError(error: unknown, place: Place): Promise<UsageError | CommandError> {
  const { code, name: kind, cause } = error as NodeJS.ErrnoException
  // By its name, since its class would load the parser of YAML here.
  if (kind === 'GameServerFileError' && (cause as NodeJS.ErrnoException).code === 'ENOENT') {
    return new CommandError(EXIT.NO_FILE, startFailure(error, place), { cause: error })
  }
  if (code !== 'EADDRINUSE') return new UsageError(startFailure(error, place), { cause: error })
  const { findPortOwner } = await import('./taken-port.js')
  const owner = await findPortOwner(place.port)
  return new CommandError(EXIT.NO_SIDECAR, startFailure(error, place, owner), { cause: error })
}
