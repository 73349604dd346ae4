export { createClient } from './client/create-client.js'
export { SidecarError, isSidecarError } from './client/errors.js'

export type { SidecarErrorCode, SidecarErrorDetails } from './client/errors.js'
export type {
  AbortSignalLike,
  AutoHealthOptions,
  CallOptions,
  ClientOptions,
  ClientStatus,
  ConnectionEvent,
  ConnectionState,
  Counter,
  CounterUpdate,
  FetchInit,
  FetchLike,
  FetchResponse,
  HealthEvent,
  Integer,
  Limits,
  List,
  ListUpdate,
  LoggerLike,
  MetadataEvent,
  RetryPolicy,
  SchedulerLike,
  SidecarClient,
  SidecarEvents,
  Transport,
  WatchOptions,
  WebSocketConstructor,
  WebSocketLike,
  WriteOptions,
  XMLHttpRequestLike,
} from './client/types.js'
export type {
  CounterStatus,
  GameServer,
  GameServerState,
  GameServerStatus,
  HealthSpec,
  ListStatus,
  ObjectMeta,
} from './protocol/game-server.js'
