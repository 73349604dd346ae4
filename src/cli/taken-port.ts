import type { ReadStream } from 'node:tty'
import { parseObject } from '../client/answers.js'
import { variablePrefix } from '../node/gateway/sidecar-url.js'
import type { LocalSidecar } from '../node/local/local-sidecar.js'
import { ask } from './ask.js'
import type { CliContext } from './context.js'
import { EXIT } from './exit-codes.js'
import { ignoreClosed } from './keys.js'

/** Who listens on a port of this machine: a local sidecar, a real one, or another program. */
export type PortOwner = 'another local sidecar' | 'a real sidecar' | undefined

/** Ports that are tried after the one that is taken. */
const NEXT_PORTS = 20
/** Milliseconds that the one who listens may take to say who it is. */
const PATIENCE_MS = 700

/** Finds out who listens on a port by asking for its GameServer; undefined where it is no sidecar. */
export async function findPortOwner(port: number): Promise<PortOwner> {
  const read = async (path: string): Promise<object> =>
    parseObject((await ask(`http://127.0.0.1:${port}${path}`, { patience: PATIENCE_MS })).text) ?? {}
  const [state, object] = await Promise.all([read('/_/api/state'), read('/gameserver')])
  if ('gameServer' in state) return 'another local sidecar'
  return 'object_meta' in object ? 'a real sidecar' : undefined
}

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
  const owner = await findPortOwner(port)
  const { bold } = colors
  const use = owner === undefined ? '' : `${bold('[U]')}se that one / `
  const question = askKey(owner === undefined ? ['n', 'q'] : ['u', 'n', 'q'])
  print(
    `Port ${port} is used by ${owner ?? 'another program'}. ` + `${use}${bold('[N]')}ext free port / ${bold('[Q]')}uit`,
  )
  const key = await Promise.race([question.answer, stopped.then(() => 'q')])
  question.end()
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

/** Waits for one of some keys, or for Ctrl-C and Ctrl-D, which count as the last of them, until `end()`. */
function askKey(keys: readonly string[]): { readonly answer: Promise<string>; end(): void } {
  const input: ReadStream = process.stdin
  const release = (): void => void input.setRawMode(false)
  let read: (text: string) => void
  const answer = new Promise<string>((resolve) => {
    read = (text) => {
      const key = /[\u0003\u0004]/.test(text) ? keys.at(-1)! : text.toLowerCase()
      if (keys.includes(key)) resolve(key)
    }
    input.on('error', ignoreClosed).setRawMode(true)
    process.once('exit', release)
    input.setEncoding('utf8').on('data', read).resume()
  })
  const end = (): void => {
    input.off('data', read).pause()
    process.off('exit', release)
    release()
  }
  return { answer, end }
}
