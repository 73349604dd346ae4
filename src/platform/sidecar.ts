export { newAllocation } from './allocation/allocate.js'
export { labelMismatch } from './allocation/match.js'
export type {
  AllocationChanges,
  AllocationStatus,
  GameServerAllocationSpec,
  GameServerSelector,
  LabelExpression,
} from './allocation/types.js'
export { allocateGameServer, createSidecar } from './sidecar/create-sidecar.js'
export { createDelays, type Delays } from './sidecar/running.js'
export { clockTime, describeCall, describeChange, isAllocationTime, replacementSentence } from './sidecar/describe.js'
export { explainEntry } from './sidecar/explain.js'
export { callSafely } from './sidecar/listeners.js'
export { reduce } from './sidecar/reduce.js'
export { replaceAfterOf, resolveConfig } from './sidecar/state/config.js'
export { diffGameServers, isMarked, own } from './sidecar/state/game-server.js'
export { show } from './sidecar/state/show.js'
export { createState, type SidecarState } from './sidecar/state/sidecar-state.js'
export { ConnectionDropped, lineOf } from './sidecar/watchers.js'
export type * from './sidecar-types.js'
