import type * as node from './index.js'

export { GameServerFileError } from './local/game-server-file.js'

/** For `require()`: the same function, whose module is loaded when it is first called. */
export const createLocalSidecar: typeof node.createLocalSidecar = async (options) => {
  const { createLocalSidecar: create } = await import('./index.js')
  return create(options)
}
