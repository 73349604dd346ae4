export { createLocalSidecar } from './local-sidecar.js'
export { GameServerFileError } from './game-server-file.js'

export type { LocalSidecar, RestartOptions } from './local-sidecar.js'
export type { LocalSidecarOptions } from './local-sidecar-options.js'
export type * from '../sidecar/types.js'
export type { CounterAction, ListAction } from '../sidecar/events.js'
