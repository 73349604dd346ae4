export { createLocalSidecar } from './local/local-sidecar.js'
export { GameServerFileError } from './local/game-server-file.js'

export type { LocalSidecar, RestartOptions } from './local/local-sidecar.js'
export type { LocalSidecarOptions } from './local/local-sidecar-options.js'
export type * from '../sidecar/types.js'
export type { CounterAction, ListAction } from '../sidecar/events.js'
