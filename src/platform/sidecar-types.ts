// The types of a local sidecar that `gameserver-sidecar/mock` and `gameserver-sidecar/node` export.
export type { AnsweredAllocation, CounterAction, GameServerAllocation, ListAction } from './allocation/types.js'
export type { EventLog, LogEntry } from './sidecar/event-log.js'
export type { ControlResult, Sidecar, SidecarEnvironment, SidecarRequest } from './sidecar/sidecar.js'
export type { GameServerManifest, SidecarConfig, SidecarMode } from './sidecar/state/config.js'
export type {
  Call,
  Change,
  ControlCommand,
  SidecarEvent,
  Warning,
  WarningCode,
  WatchEnd,
} from './sidecar/state/events.js'
export type { ConformanceResult, FaultInfo, HealthInfo, SidecarSnapshot, WatcherInfo } from './sidecar/wire/snapshot.js'
export type { WatchHandle, WatchMessage, WatchSink } from './sidecar/watchers.js'
