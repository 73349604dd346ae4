/** The port and address that a server tried to listen on, and the flags that set them. */
export interface Place {
  readonly port: number
  readonly portFlag: string
  readonly address: string
  readonly addressFlag: string
}

/** Says in one sentence why a server could not start, and the fix if there is one. */
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
