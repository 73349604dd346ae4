import type { RunCall, Send } from './calls.js'
import type { Connection } from './connection.js'
import type { DirectMode } from './direct/direct-mode.js'
import type { Emitter } from './emitter.js'
import type { Resources } from './game-server.js'
import type { AbortSignalLike } from './option-types.js'
import type { ResolvedOptions } from './options.js'
import type { State } from './state.js'
import type { Pacing, Timers } from './timers.js'
import type { OpenWatch } from './transports.js'
import type { SidecarEvents, Transport } from './types.js'

/** What the parts of one client share. */
export interface Core extends Pick<Emitter<SidecarEvents>, 'emit' | 'has'> {
  /** Aborts when the client is closed. */
  readonly life: AbortSignalLike
  readonly options: ResolvedOptions
  /** The sidecar's address, without a slash at its end. */
  readonly baseUrl: string
  /** The prefix of keys of labels and annotations that were set through the sidecar. */
  readonly prefix: string
  readonly timers: Timers
  readonly pacing: Pacing
  readonly connection: Connection
  readonly state: State
  readonly direct: DirectMode
  readonly resources: Resources
  readonly open: Readonly<Record<Transport, OpenWatch>>
  hasWebSocket(): unknown
  readonly run: RunCall
  readonly send: Send
}
