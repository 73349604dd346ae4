import type * as node from './index.js'

export { HostError } from './host/host-error.js'
export { GameServerFileError } from './local/game-server-file.js'
export { ScenarioFailure, ScenarioFileError } from './scenario/scenario-errors.js'

// For `require()`: the same functions, whose module is loaded when one is first called.

export const createGateway: typeof node.createGateway = async (options) => {
  const { createGateway: create } = await import('./index.js')
  return create(options)
}

export const createLocalSidecar: typeof node.createLocalSidecar = async (options) => {
  const { createLocalSidecar: create } = await import('./index.js')
  return create(options)
}

export const createHost: typeof node.createHost = async (options) => {
  const { createHost: create } = await import('./index.js')
  return create(options)
}

export const runScenario: typeof node.runScenario = async (scenario, sidecar) => {
  const { runScenario: run } = await import('./index.js')
  return run(scenario, sidecar)
}
