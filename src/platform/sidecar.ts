export { faultPresets, type FaultPreset } from './sidecar/control/fault-presets.js'
export { allocateGameServer, createSidecar } from './sidecar/create-sidecar.js'
export { createDelays, type Delays } from './sidecar/delays.js'
export { explainEntry } from './sidecar/explain.js'
export { defaultConfig, replaceAfterOf, resolveConfig } from './sidecar/state/config.js'
export { describeCall, describeChange, isAllocationTime, replacementSentence } from './sidecar/describe.js'
export { isMarked, own } from './sidecar/state/game-server-edits.js'
export { createState, type SidecarState } from './sidecar/state/sidecar-state.js'
export { reduce } from './sidecar/reduce.js'
export { callSafely } from './sidecar/listeners.js'
export { gameServerBytes, lineOf } from './sidecar/wire/watch-stream.js'
export { ConnectionDropped } from './sidecar/wire/watch-stream.js'

export type {
  AllocationChanges,
  AnsweredAllocation,
  CounterAction,
  GameServerAllocation,
  ListAction,
  AllocationStatus,
  GameServerAllocationSpec,
  GameServerSelector,
  LabelExpression,
} from './allocation/types.js'
export type { EventLog, LogEntry } from './sidecar/event-log.js'
export type { SidecarConfig, SidecarMode } from './sidecar/state/config.js'
export type { CommandOf, ControlCommand, Call, SidecarEvent } from './sidecar/state/sidecar-event.js'
export type { Change, Warning, WarningCode, WatchEnd } from './sidecar/state/effect.js'
export type { GameServerManifest } from './sidecar/state/config.js'
export type { ControlResult, RawRequest, Sidecar, SidecarEnvironment } from './sidecar/sidecar.js'
export type { ConformanceResult, FaultInfo, HealthInfo, SidecarSnapshot, WatcherInfo } from './sidecar/wire/snapshot.js'
export type { WatchMessage } from './sidecar/wire/watch-stream.js'
export type { WatchHandle, WatchSink } from './sidecar/wire/watch-stream.js'
export { newAllocation } from './allocation/allocate.js'
export { labelMismatch } from './allocation/match.js'
export { diffGameServers } from './sidecar/state/game-server-diff.js'
export { show } from './sidecar/state/show.js'
