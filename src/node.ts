import { requireNode } from './local/http/requires-node.js'

requireNode()

export { createGateway } from './local/gateway/create-gateway.js'
export { createFleet } from './host/create-fleet.js'
export { formatMetrics } from './deploy/metrics/prometheus.js'
export { followCertificate } from './local/http/certificate.js'
export { createHost } from './host/create-host.js'
export { HostError } from './host/host-error.js'
export { createLocalSidecar } from './local/sidecar/local-sidecar.js'
export { GameServerFileError } from './local/files/game-server-file.js'

export type { CertificateFiles } from './local/http/certificate.js'
export type { Fleet } from './local/fleet/run-fleet.js'
export type { FleetOptions } from './host/create-fleet.js'
export type { FleetRunEvent } from './local/fleet/fleet-options.js'
export type { Gateway } from './local/gateway/create-gateway.js'
export type { GatewayOptions } from './local/gateway/gateway-options.js'
export type { Host } from './host/create-host.js'
export type { HostErrorCode } from './host/host-error.js'
export type { HostEvent, HostExit } from './host/host-events.js'
export type { ConsoleLevel } from './local/game/lines.js'
export type { HostOptions } from './host/host-options.js'
export type { OperationName } from './protocol/operations.js'
export type { LocalSidecar, RestartOptions } from './local/sidecar/local-sidecar.js'
export type { LocalSidecarOptions } from './local/sidecar/local-sidecar-options.js'
export type {
  AnsweredAllocation,
  Call,
  Change,
  ConformanceResult,
  ControlCommand,
  ControlResult,
  CounterAction,
  EventLog,
  FaultInfo,
  GameServerAllocation,
  GameServerManifest,
  HealthInfo,
  ListAction,
  LogEntry,
  RawRequest,
  Sidecar,
  SidecarConfig,
  SidecarEnvironment,
  SidecarEvent,
  SidecarMode,
  SidecarSnapshot,
  Warning,
  WarningCode,
  WatchEnd,
  WatcherInfo,
  WatchHandle,
  WatchMessage,
  WatchSink,
} from './platform/sidecar.js'
