import { Script, constants } from 'node:vm'
import { pathToFileURL } from 'node:url'
import type * as node from './index.js'

export { HostError } from './host/host-error.js'
export { GameServerFileError } from './local/game-server-file.js'
export { ScenarioFailure, ScenarioFileError } from './scenario/scenario-errors.js'

// For `require()`: the same functions, whose module is loaded when one is first called.

export const createGateway: typeof node.createGateway = async (options) => (await load()).createGateway(options)

export const createLocalSidecar: typeof node.createLocalSidecar = async (options) =>
  (await load()).createLocalSidecar(options)

export const createHost: typeof node.createHost = async (options) => (await load()).createHost(options)

export const runScenario: typeof node.runScenario = async (scenario, sidecar) =>
  (await load()).runScenario(scenario, sidecar)

async function load(): Promise<typeof node> {
  try {
    return await import('./index.js')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!code.startsWith('ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING')) throw error
    return loadOutside()
  }
}

/** Jest runs tests in a context of its own, in which there is no import(): Node's own loader is asked for it. */
function loadOutside(): Promise<typeof node> {
  const script = new Script('(url) => import(url)', {
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  const load = script.runInThisContext() as (url: string) => Promise<typeof node>
  return load(new URL('node.js', pathToFileURL(__filename)).href)
}
