export { createMock } from './create-mock.js'

export type {
  Allocation,
  FailHow,
  FailTarget,
  Mock,
  MockCall,
  MockClientOptions,
  MockOptions,
  MockResponse,
  RestartHow,
} from './types.js'
export type {
  AnsweredAllocation,
  ControlCommand,
  CounterAction,
  GameServerAllocation,
  GameServerManifest,
  ListAction,
  LogEntry,
  Sidecar,
  SidecarSnapshot,
} from '../sidecar/index.js'
