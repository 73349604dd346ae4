import { dirname, resolve } from 'node:path'
import { readScenario, ScenarioError } from '../../scenario/index.js'
import type { Path, Scenario } from '../../scenario/index.js'
import type { GameServerManifest } from '../../sidecar/index.js'
import { GameServerFileError, loadGameServerFile, readText } from '../local/game-server-file.js'
import { findDocument } from '../local/yaml-documents.js'
import { createLineFinder } from '../local/yaml-place.js'
import { YamlError } from '../local/yaml-value.js'
import { ScenarioFileError } from './scenario-errors.js'

export interface LoadedScenario {
  readonly file: string
  readonly scenario: Scenario
  /** The GameServer to start with; undefined for the default one. */
  readonly gameServer: GameServerManifest | undefined
  /** The line of each step. */
  readonly lines: readonly number[]
}

/** Reads a scenario's file, and the GameServer that it names. @throws ScenarioFileError */
export async function loadScenario(file: string): Promise<LoadedScenario> {
  const text = await readText(file).catch((error: unknown) => {
    throw new ScenarioFileError((error as Error).message, true, { cause: error })
  })
  const value = await parse(file, text)
  const lineOf = await createLineFinder(text)
  const fail = (message: string, path: Path, isMissing: boolean, cause: unknown): never => {
    throw new ScenarioFileError(`${file}:${lineOf(path)}: ${message}`, isMissing, { cause })
  }
  try {
    const scenario = readScenario(value)
    const gameServer = await gameServerOf(scenario, file)
    return { file, scenario, gameServer, lines: scenario.steps.map((_, index) => lineOf(['steps', index])) }
  } catch (error) {
    if (error instanceof ScenarioError) return fail(error.message, error.path, false, error)
    if (!(error instanceof GameServerFileError)) throw error
    const isMissing = error.message.startsWith('Cannot read')
    return fail(error.message, ['gameServer'], isMissing, error)
  }
}

async function parse(file: string, text: string): Promise<unknown> {
  try {
    return (await findDocument(text, () => true)).value
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    const line = / at line (\d+), column \d+$/.exec(error.message)
    const place = line === null ? '' : `:${line[1]}`
    const message = line === null ? error.message : error.message.slice(0, line.index)
    throw new ScenarioFileError(`${file}${place}: this is neither YAML nor JSON: ${message}`, false, { cause: error })
  }
}

async function gameServerOf({ gameServer }: Scenario, file: string): Promise<GameServerManifest | undefined> {
  return typeof gameServer === 'string' ? loadGameServerFile(resolve(dirname(file), gameServer)) : gameServer
}
