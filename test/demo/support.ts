import { cli, type Run } from '../cli/support.js'
import { connectPlayer, type TestPlayer } from './player.js'

export interface Demo extends Run {
  readonly url: string
  readonly dashboard: string
}

export async function startDemo(
  args: readonly string[] = ['--no-open', '--port', '0'],
  env?: NodeJS.ProcessEnv,
): Promise<Demo> {
  const run = cli(['demo', ...args], env)
  const [, dashboard] = await run.line(/dashboard is at (http:\S+)/)
  const [url] = await run.line(/.*/)
  return { ...run, url, dashboard: dashboard! }
}

export const open = ({ url }: Demo, origin = url): Promise<TestPlayer> =>
  connectPlayer(url.replace('http', 'ws'), origin, 'Me')

/** Resolves with the name of the GameServer, once it has the state. */
export async function nameIn(page: TestPlayer, state: string): Promise<string> {
  const { gameServer } = await page.until((message) => message.gameServer?.status.state === state)
  return gameServer!.object_meta.name
}

/** Whether something serves the address. */
export const answers = async (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  )
