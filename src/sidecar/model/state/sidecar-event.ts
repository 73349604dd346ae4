import type { GameServer } from '../../../protocol/game-server.js'
import type { ControlCommand } from './control-command.js'

/** A call of the interface after its body was read; int64 fields are decimal strings. */
export type Call =
  | { readonly operation: 'ready' | 'allocate' | 'shutdown' | 'getGameServer' }
  /** `beats` is the number of messages in the body: the operation is a stream. */
  | { readonly operation: 'health'; readonly beats: number }
  | { readonly operation: 'reserve'; readonly seconds: string }
  | { readonly operation: 'setLabel' | 'setAnnotation'; readonly key: string; readonly value: string }
  | { readonly operation: 'getCounter' | 'getList'; readonly key: string }
  | {
      readonly operation: 'updateCounter'
      readonly key: string
      readonly count?: string
      readonly capacity?: string
      readonly countDiff: string
    }
  | {
      readonly operation: 'updateList'
      readonly key: string
      readonly capacity: string
      readonly values: readonly string[]
      readonly mask: readonly string[]
    }
  | { readonly operation: 'addListValue' | 'removeListValue'; readonly key: string; readonly value: string }

/** The call of one operation, or of one of several. */
export type CallOf<Name extends Call['operation']> = Extract<Call, { readonly operation: Name }>

/** Everything that can happen to a sidecar. Plain JSON, so that a log can be stored and replayed. */
export type SidecarEvent =
  | { readonly type: 'call'; readonly call: Call }
  /** A request that never became a call: unknown path, wrong method, bad body. */
  | {
      readonly type: 'refused'
      readonly method: string
      readonly path: string
      readonly status: number
      readonly message: string
    }
  | { readonly type: 'control'; readonly command: ControlCommand }
  | { readonly type: 'watch-opened'; readonly id: number; readonly transport: 'stream' | 'websocket' }
  | { readonly type: 'watch-closed'; readonly id: number; readonly reason: string }
  /** The GameServer as a recording shows it from now on. */
  | { readonly type: 'shown'; readonly gameServer: GameServer }
  /** Time has passed: everything that is due happens. */
  | { readonly type: 'tick' }
