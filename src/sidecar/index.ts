export { createSidecar, ConnectionDropped } from './host.js'
export { defaultConfig, resolveConfig } from './config.js'
export { createState, reduce } from './core.js'
export { readManifest } from './manifest.js'

export type { Call, ControlCommand, CounterAction, ListAction, SidecarEvent } from './events.js'
export type { GameServerManifest, ManifestCounters, ManifestInteger, ManifestLists } from './manifest.js'
export type { Effect, SidecarState } from './state.js'
export type * from './types.js'
