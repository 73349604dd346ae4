import { variablePrefix } from '../local/gateway.js'
import type { LocalSidecar } from '../local/sidecar.js'
import type { CliContext } from './context.js'
import { CommandError, EXIT, UsageError } from './exit-codes.js'
import { findPortOwner } from './find-sidecar.js'
import { readKeys } from './keys.js'

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

/** Ports that are tried after the one that is taken. */
const NEXT_PORTS = 20

/** Why a server could not start, and the fix, as one sentence. */
function startFailure(error: unknown, place: Place, owner?: string): string {
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

/** The error that ends the command; a taken port, a missing file and a game that can't start have their own exit codes. */
export async function startError(error: unknown, place: Place): Promise<UsageError | CommandError> {
  const { code, name: kind, cause, exitCode } = error as StartError
  const fail = (exit: number, owner?: string): CommandError =>
    new CommandError(exit, startFailure(error, place, owner), { cause: error })
  if (exitCode !== undefined) return fail(exitCode)
  // By name, since importing the class would load the YAML parser.
  if (kind === 'GameServerFileError' && cause?.code === 'ENOENT') return fail(EXIT.NO_FILE)
  if (code === 'EADDRINUSE') return fail(EXIT.NO_SIDECAR, (await findPortOwner(place.port))?.kind)
  return new UsageError(startFailure(error, place), { cause: error })
}

/** Makes the listener of a failed start, which throws the error that ends the command. */
export const failStart =
  (place: Place) =>
  async (error: unknown): Promise<never> => {
    throw await startError(error, place)
  }

/**
 * Says who uses a port, and asks whether to use that sidecar, another port, or to quit.
 *
 * @param listen starts a sidecar on a port
 * @param stopped resolves at a signal to end
 */
export async function askAboutPort(
  port: number,
  platform: string,
  listen: (port: number) => Promise<LocalSidecar>,
  stopped: Promise<string>,
  { colors, print }: CliContext,
): Promise<LocalSidecar | number> {
  const owner = (await findPortOwner(port))?.kind
  const { bold } = colors
  const use = owner === undefined ? '' : `${bold('[U]')}se that one / `
  print(`Port ${port} is used by ${owner ?? 'another program'}. ${use}${bold('[N]')}ext free port / ${bold('[Q]')}uit`)
  let release: (() => void) | undefined
  const typed = new Promise<string>((resolve) => {
    ;({ release } = readKeys((text) => {
      // In raw mode, Ctrl-C and Ctrl-D arrive as characters.
      const key = /[\u0003\u0004]/.test(text) ? 'q' : text.toLowerCase()
      if (owner === undefined ? /^[nq]$/.test(key) : /^[unq]$/.test(key)) resolve(key)
    }))
  })
  const key = await Promise.race([typed, stopped.then(() => 'q')])
  release?.()
  if (key === 'n') return listenNext(port, listen)
  if (key === 'q') return EXIT.NO_SIDECAR
  const isOurs = owner === 'another local sidecar'
  const dashboard = isOurs ? `, dashboard at ${colors.cyan(`http://127.0.0.1:${port}/_/`)}` : ''
  print(`The game finds it by ${bold(`${variablePrefix(platform)}PORT=${port}`)}${dashboard}`)
  return EXIT.DONE
}

async function listenNext(taken: number, listen: (port: number) => Promise<LocalSidecar>): Promise<LocalSidecar> {
  for (let port = taken + 1; port <= Math.min(taken + NEXT_PORTS, 65_535); port++) {
    try {
      return await listen(port)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
  return listen(0)
}
