import { check, checkNames } from './client/checks.js'
import { createEmitter } from './client/emitter.js'
import { named } from './client/errors.js'
import { follow } from './client/time.js'

export { SidecarError, isSidecarError } from './client/errors.js'

/** What the package's other entries share with the client. Not for applications: it may change with any release. */
export const internals = { check, checkNames, createEmitter, follow, named }

export type {
  GameServerHost,
  HostPageEvent,
  HostShutdownEvent,
  PlayerCloseEvent,
  PlayerMessageEvent,
  PlayerSocket,
} from './host/page-script/types.js'
export type { SidecarErrorCode, SidecarErrorDetails } from './client/errors.js'
export type {
  AbortSignalLike,
  FetchInit,
  FetchLike,
  FetchResponse,
  LoggerLike,
  SchedulerLike,
  WebSocketConstructor,
  WebSocketLike,
  XMLHttpRequestLike,
} from './client/globals.js'
export type { AutoHealthOptions, ClientOptions, Limits, ProcessSignalOptions, RetryPolicy } from './client/options.js'
export type {
  AllocatedEvent,
  CallOptions,
  ClientStatus,
  ConnectionEvent,
  ConnectionState,
  Counter,
  CounterUpdate,
  EndingEvent,
  EndReason,
  HealthEvent,
  Integer,
  List,
  ListUpdate,
  MetadataEvent,
  Outcome,
  ReadyOptions,
  SidecarClient,
  SidecarEvents,
  Transport,
  WatchOptions,
  WriteOptions,
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
