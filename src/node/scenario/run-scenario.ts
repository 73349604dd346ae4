import { setTimeout as sleep } from 'node:timers/promises'
import type { ControlCommand, ControlResult, Sidecar } from '../../sidecar/index.js'
import type { LocalSidecar } from '../local/local-sidecar.js'
import { loadScenario, readScenario } from './load-scenario.js'
import { playSteps } from './play-steps.js'
import type { Scenario, ScenarioResult, Target } from './types.js'

/** A step of a scenario failed. The message says what was expected and what came instead. */
export class ScenarioFailure extends Error {
  override readonly name = 'ScenarioFailure'
  readonly result: ScenarioResult

  constructor(message: string, result: ScenarioResult) {
    super(message)
    this.result = result
  }
}

/**
 * Plays a scenario, from a file or an object, with a mock or a local sidecar that the caller has started and that the game
 * under test uses. A GameServer that the scenario names replaces the sidecar's own.
 *
 * @throws ScenarioFailure where a step fails
 * @throws ScenarioFileError for a mistake in a file, TypeError for one in an object
 */
export async function runScenario(
  scenario: string | Scenario,
  sidecar: VirtualSidecar | LocalSidecar,
): Promise<ScenarioResult> {
  const loaded = typeof scenario === 'string' ? await loadScenario(scenario) : asLoaded(scenario)
  const { gameServer } = loaded
  if (gameServer !== undefined) sidecar.control({ type: 'reload', gameServer })
  const target = 'advance' in sidecar ? virtualTarget(sidecar) : localTarget(sidecar)
  const result = await playSteps(loaded.scenario, target)
  const failed = result.steps.find(({ failure }) => failure !== undefined)
  if (failed?.failure === undefined) return result
  const { number, title, failure } = failed
  const line = loaded.lines[number - 1]
  const place = line === undefined ? `step ${number}` : `${loaded.file}:${line}`
  throw new ScenarioFailure(`${place}, ${title}: expected ${failure.expected}; got ${failure.actual}`, result)
}

function asLoaded(given: Scenario) {
  const scenario = readScenario(given)
  if (typeof scenario.gameServer === 'string') {
    throw new TypeError('gameServer must be the GameServer itself where the scenario is no file')
  }
  return { file: '', scenario, gameServer: scenario.gameServer, lines: [] as readonly number[] }
}

/** Longest sleep by a real timer: the sidecar's clock may be set or put forward meanwhile. */
const MOST_MS = 250

/** A local sidecar that a scenario plays with, and its clock, which may run faster than that of this process. */
export function localTarget(local: LocalSidecar): Target {
  const { sidecar } = local
  const now = (): number => sidecar.snapshot().now
  return {
    sidecar,
    sleep: async (ms, signal) => {
      const end = now() + ms
      for (let left = ms; left > 0 && !signal.aborted; left = end - now()) {
        await sleep(Math.min(MOST_MS, left / speedOf(local)), undefined, { signal }).catch(() => undefined)
      }
    },
    control: (command) => local.control(command),
    advance: (ms) => local.control({ type: 'advanceClock', ms }),
  }
}

/** The speed of the sidecar's clock. A stopped clock is checked now and then, since a person may start it again. */
const speedOf = ({ sidecar }: LocalSidecar): number => Math.max(sidecar.snapshot().clock.speed, 0.001)

/** A sidecar whose time passes only when it is told to, such as a mock. */
export interface VirtualSidecar {
  readonly sidecar: Pick<Sidecar, 'snapshot' | 'log'>
  /** Throws, or returns an answer that isn't ok, if a command is refused. */
  control(command: ControlCommand): ControlResult
  advance(ms: number): Promise<void>
}

/** The step by which time passes during a wait. */
const TURN_MS = 50

function virtualTarget(mock: VirtualSidecar): Target {
  return {
    sidecar: mock.sidecar,
    sleep: async (ms, signal) => {
      for (let left = ms; left > 0 && !signal.aborted; left -= TURN_MS) await mock.advance(Math.min(TURN_MS, left))
    },
    control: (command) => {
      try {
        return mock.control(command)
      } catch (error) {
        return { ok: false, message: (error as Error).message }
      }
    },
    advance: async (ms) => {
      await mock.advance(ms)
      return { ok: true }
    },
  }
}
