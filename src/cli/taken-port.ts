import { variablePrefix } from '../node/gateway/sidecar-url.js'
import type { LocalSidecar } from '../node/local/local-sidecar.js'
import { EXIT } from './exit-codes.js'
import type { CliContext } from './context.js'
import { askKey } from './keys.js'
import { findPortOwner } from './port-owner.js'

/** Ports that are tried after the one that is taken. */
const NEXT_PORTS = 20

/**
 * Tells who has a port and asks what to do: take the sidecar that is there, another port, or nothing.
 *
 * @param listen starts a sidecar on a port
 * @param stopped resolves when the process is told to end
 */
export async function askAboutPort(
  port: number,
  platform: string,
  listen: (port: number) => Promise<LocalSidecar>,
  stopped: Promise<string>,
  { colors, print }: CliContext,
): Promise<LocalSidecar | number> {
  const { kind, name = 'another program' } = await findPortOwner(port)
  const { bold } = colors
  const use = kind === 'other' ? '' : `${bold('[U]')}se that one / `
  const question = askKey(kind === 'other' ? ['n', 'q'] : ['u', 'n', 'q'])
  print(`Port ${port} is used by ${name}. ${use}${bold('[N]')}ext free port / ${bold('[Q]')}uit`)
  const key = await Promise.race([question.answer, stopped.then(() => 'q')])
  question.end()
  if (key === 'n') return listenNext(port, listen)
  if (key === 'q') return EXIT.NO_SIDECAR
  const dashboard = kind === 'local' ? `, dashboard at ${colors.cyan(`http://127.0.0.1:${port}/_/`)}` : ''
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
