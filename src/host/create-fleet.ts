import { endGroup, programGame, type ConsoleLine, type StartGame } from '../local/game.js'
import { runFleet, type Fleet, type FleetSettings } from '../local/fleet.js'
import { checkFleetOptions } from '../platform/schema.js'
import { HostError } from './host-error.js'
import type { HostEvent } from './host-events.js'
import type { HostOptions } from './host-options.js'

/** The options of `createHost()` that a Fleet of pages leaves to its user. */
export type PageOptions = Omit<
  HostOptions,
  'dir' | 'sidecar' | 'local' | 'playersPort' | 'playersHost' | 'signal' | 'onEvent' | 'grace' | 'platform' | 'inspect'
>

/** Options of `createFleet()`. It needs `command` or `dir`; the rest has defaults. */
export interface FleetOptions extends FleetSettings {
  /** The program of each GameServer, and its arguments. */
  readonly command?: readonly [string, ...string[]] | undefined
  /** Environment of the programs, beside the variables of the Fleet. Default: this process'. */
  readonly env?: NodeJS.ProcessEnv | undefined
  /** The folder with a built page, which runs in a browser for each GameServer as `createHost()` runs it. */
  readonly dir?: string | undefined
  /** More options of `createHost()` for `dir`. */
  readonly page?: PageOptions | undefined
}

/**
 * Runs a Fleet on this machine: allocated by the platform's rules, at the platform's addresses. Resolves when the first
 * game was started.
 *
 * @throws TypeError for an unknown option or a value that makes no sense
 * @throws GameServerFileError for a file that can't be read or used
 * @throws ProgramError, HostError for a program or page that can't be started
 * @throws RangeError for a range without free ports
 * @throws NodeJS.ErrnoException, with `code` EADDRINUSE for a taken port
 */
export async function createFleet(options: FleetOptions): Promise<Fleet> {
  checkFleetOptions(options)
  const { command, env, dir, page = {}, ...settings } = options
  if ((page as Partial<HostOptions>).inspect !== undefined) {
    throw new HostError(
      'USAGE',
      "A Fleet's pages can't share the one port of inspect.",
      'Debug one page by createHost().',
    )
  }
  const startGame = command === undefined ? pageGame(dir!, page) : programGame(command, env)
  return runFleet({ ...settings, startGame })
}

/** The longest grace period of a host. */
const LONGEST_GRACE_MS = 3_600_000

/** Returns the function that starts a page in a browser for each GameServer, as `createHost()` does. */
const pageGame =
  (dir: string, options: PageOptions): StartGame =>
  async ({ sidecarUrl, port, graceMs, platform, signal, onOutput }) => {
    const { createHost } = await import('./create-host.js')
    let pid = 0
    const host = await createHost({
      ...options,
      ...{ dir, platform, sidecar: sidecarUrl, playersPort: port, playersHost: '127.0.0.1', signal },
      grace: Math.min(graceMs, LONGEST_GRACE_MS),
      onEvent(event) {
        if (event.event === 'browser') pid = event.pid
        const line = lineOf(event)
        if (line !== undefined) onOutput(line)
      },
    })
    return {
      pid,
      exited: host.exited.then(({ code, reason }) => ({ exitCode: code, how: `exit code ${code}: ${reason}` })),
      terminate: () => void host.close(),
      kill: () => endGroup(pid),
    }
  }

/** What a hosted page's output shows of an event. */
function lineOf(event: HostEvent): ConsoleLine | undefined {
  switch (event.event) {
    case 'console':
      return { level: event.level, text: event.text }
    case 'warning':
      return { level: 'warn', text: event.text }
    case 'crash':
    case 'hang':
      return { level: 'error', text: event.reason }
    default:
      return undefined
  }
}
