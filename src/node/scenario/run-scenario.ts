import type { LocalSidecar } from '../local/local-sidecar.js'
import { loadScenario, readScenario } from './load-scenario.js'
import { playSteps } from './play-steps.js'
import { ScenarioFailure } from './scenario-errors.js'
import { localTarget, virtualTarget } from './targets.js'
import type { VirtualSidecar } from './targets.js'
import type { Scenario, ScenarioResult } from './types.js'

/**
 * Plays a scenario, by its file or as an object, with a mock or a local sidecar that the caller has started, and that the
 * game under test is connected to. A GameServer that the scenario names replaces the sidecar's own.
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
