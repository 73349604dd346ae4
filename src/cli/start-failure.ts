/** Where a server was to listen, and the flags that say so. */
export interface Place {
  readonly port: number
  readonly portFlag: string
  readonly address: string
  readonly addressFlag: string
}

/** One sentence about a server that could not be started, with what to do where that is known. */
export function startFailure(error: unknown, { port, portFlag, address, addressFlag }: Place): string {
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is already in use; choose another with ${portFlag}, or 0 for any free one.`
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
