export { allocateGameServer } from './allocation/answer.js'
export { faultPresets } from './sidecar/control/fault-presets.js'
export { createSidecar } from './sidecar/create-sidecar.js'
export { createDelays } from './sidecar/delays.js'
export { explainEntry } from './sidecar/explain-entry.js'
export { defaultConfig, replaceAfterOf, resolveConfig } from './sidecar/state/config.js'
export { describeChange, isAllocationTime, replacementSentence } from './sidecar/state/effect.js'
export { isMarked } from './sidecar/state/game-server-edits.js'
export { createState } from './sidecar/state/sidecar-state.js'
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
} from './allocation/types.js'
export type { Delays } from './sidecar/delays.js'
export type { EventLog } from './sidecar/event-log.js'
export type { LogEntry } from './sidecar/event-log.js'
export type { SidecarConfig, SidecarMode } from './sidecar/state/config.js'
export type { CommandOf, ControlCommand } from './sidecar/state/sidecar-event.js'
export type { Change, Warning, WarningCode, WatchEnd } from './sidecar/state/effect.js'
export type { GameServerManifest } from './sidecar/state/config.js'
export type { Call, SidecarEvent } from './sidecar/state/sidecar-event.js'
export type { SidecarState } from './sidecar/state/sidecar-state.js'
export type { ControlResult, RawRequest, Sidecar, SidecarEnvironment } from './sidecar/sidecar.js'
export type { ConformanceResult, FaultInfo, HealthInfo, SidecarSnapshot, WatcherInfo } from './sidecar/wire/snapshot.js'
export type { WatchMessage } from './sidecar/wire/watch-stream.js'
export type { WatchHandle, WatchSink } from './sidecar/wire/watch-stream.js'
export type {
  AllocationStatus,
  GameServerAllocationSpec,
  GameServerSelector,
  LabelExpression,
} from './allocation/types.js'
export { newAllocation } from './allocation/allocate.js'
export { labelMismatch } from './allocation/match.js'
export type { FaultPreset } from './sidecar/control/fault-presets.js'
export { describeCall } from './sidecar/describe-call.js'
export { diffGameServers } from './sidecar/state/game-server-diff.js'
export { own } from './sidecar/state/game-server-edits.js'
export { show } from './sidecar/state/show.js'
