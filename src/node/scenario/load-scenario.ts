import { dirname, resolve } from 'node:path'
import { InvalidInput, read } from '../../schema/check.js'
import { scenario as schema } from '../../schema/scenario.js'
import type { GameServerManifest } from '../../sidecar/index.js'
import { plainText } from '../plain-text.js'
import { GameServerFileError, loadGameServerFile, readText } from '../local/game-server-file.js'
import { findDocument, YamlError } from '../local/yaml-documents.js'
import type { Scenario } from './types.js'

/** A scenario's file that can't be used; the message names file and line. */
export class ScenarioFileError extends Error {
  override readonly name = 'ScenarioFileError'
  /** True if the file is missing or can't be read. */
  readonly isMissing: boolean

  constructor(message: string, isMissing: boolean, options?: ErrorOptions) {
    super(plainText(message), options)
    this.isMissing = isMissing
  }
}

export interface LoadedScenario {
  readonly file: string
  readonly scenario: Scenario
  /** The GameServer to start with; undefined for the default one. */
  readonly gameServer: GameServerManifest | undefined
  /** The line of each step. */
  readonly lines: readonly number[]
}

/** Takes a value for a scenario. @throws InvalidInput for the first mistake */
export const readScenario = (value: unknown): Scenario => read(schema, value, 'the scenario') as Scenario

/** Reads a scenario's file, and the GameServer that it names. @throws ScenarioFileError */
export async function loadScenario(file: string): Promise<LoadedScenario> {
  const text = await readText(file).catch((error: unknown) => {
    throw new ScenarioFileError((error as Error).message, true, { cause: error })
  })
  const { value, lineOf } = await findDocument(text, () => true).catch((error: unknown) => {
    if (!(error instanceof YamlError)) throw error
    const place = error.line === undefined ? file : `${file}:${error.line}`
    throw new ScenarioFileError(`${place}: this is neither YAML nor JSON: ${error.message}`, false, { cause: error })
  })
  try {
    const scenario = readScenario(value)
    const gameServer = await gameServerOf(scenario, file)
    return { file, scenario, gameServer, lines: scenario.steps.map((_, index) => lineOf(['steps', index])) }
  } catch (cause) {
    const isMistake = cause instanceof InvalidInput
    if (!isMistake && !(cause instanceof GameServerFileError)) throw cause
    const line = lineOf(isMistake ? cause.path : ['gameServer'])
    const isMissing = cause.message.startsWith('Cannot read')
    throw new ScenarioFileError(`${file}:${line}: ${cause.message}`, isMissing, { cause })
  }
}

async function gameServerOf({ gameServer }: Scenario, file: string): Promise<GameServerManifest | undefined> {
  return typeof gameServer === 'string' ? loadGameServerFile(resolve(dirname(file), gameServer)) : gameServer
}
