import { startCommand } from '../exec/start-command.js'
import type { RunningCommand } from '../exec/start-command.js'
import { sidecarVariables } from '../gateway/sidecar-url.js'
import { createLocalSidecar } from '../local/local-sidecar.js'
import type { LocalSidecar } from '../local/local-sidecar.js'
import type { LocalSidecarOptions } from '../local/local-sidecar-options.js'
import type { LoadedScenario } from './load-scenario.js'
import { playSteps } from './play-steps.js'
import { localTarget } from './run-scenario.js'
import type { ScenarioResult, StepResult } from './types.js'

/** Default time from SIGTERM to SIGKILL. */
const GRACE_MS = 30_000

export interface PlayOptions {
  /** The game's command; without one, somebody else starts a game. */
  readonly command: readonly [string, ...string[]] | undefined
  readonly speed: number
  readonly sidecar: Pick<LocalSidecarOptions, 'port' | 'record' | 'redact' | 'dashboard'>
  /** Time from SIGTERM to SIGKILL when the scenario is over. */
  readonly graceMs: number
  readonly signal: AbortSignal
  readonly onStart: (local: LocalSidecar) => void
  readonly onStep: (result: StepResult) => void
  readonly onWarning: (message: string) => void
}

/**
 * Plays a scenario with a local sidecar and a game of its own, both of which have ended when it resolves.
 *
 * @throws CommandError if the command can't be started
 * @throws NodeJS.ErrnoException, with `code` EADDRINUSE for a taken port
 */
export async function playScenario(loaded: LoadedScenario, options: PlayOptions): Promise<ScenarioResult> {
  const { command, speed, sidecar, graceMs, signal, onStart, onStep, onWarning } = options
  const local = await createLocalSidecar({ ...sidecar, gameServer: loaded.gameServer, onWarning })
  let game: RunningCommand | undefined
  const terminate = local.sidecar.log.subscribe(({ event }) => {
    if (event.type !== 'control' || event.command.type !== 'terminate') return
    void game?.terminate((event.command.graceMs ?? GRACE_MS) / speed)
  })
  try {
    if (speed !== 1) {
      const clock = local.control({ type: 'setClock', speed })
      if (!clock.ok) throw new Error(`the sidecar's clock can't run ${speed} times as fast: ${clock.message}`)
    }
    onStart(local)
    const env = { ...process.env, ...sidecarVariables('agones', new URL(local.url)) }
    game = command && (await startCommand(command, { stdio: ['ignore', 2, 2], env }))
    return await playSteps(loaded.scenario, { ...localTarget(local), gameEnd: game?.exited }, { signal, onStep })
  } finally {
    terminate()
    await game?.terminate(graceMs)
    await local.close()
  }
}
