import type { Transport } from '../types.js'
import { toSidecarError, type SidecarError } from '../runtime/errors.js'
import { Scope } from '../runtime/scope.js'
import type { Timers } from '../runtime/timers.js'
import { type OpenWatch, type WatchEnd, type WatchListener } from './message.js'

/** One connection of the watch, from the dial to its end. */
export interface WatchConnection {
  readonly transport: Transport
  /** True when the first object has come: only then does it count. False when it ended before. */
  readonly established: Promise<boolean>
  /** Never rejects. */
  readonly ended: Promise<WatchEnd>
  readonly isOver: boolean
  /** Whether the other side took the connection. */
  readonly isOpened: boolean
  close(reason?: SidecarError): void
}

/** @param patience ms in which the first object must come */
export function dial(
  parent: Scope,
  transport: Transport,
  open: OpenWatch,
  patience: number,
  timers: Timers,
  { onGameServer, onProblem }: Omit<WatchListener, 'onOpen'>,
): WatchConnection {
  const scope = new Scope(parent)
  const limit = timers.limit(scope, patience)
  let settle: (established: boolean) => void
  const established = new Promise<boolean>((resolve) => (settle = resolve))
  const ended = open(scope, {
    onOpen() {
      connection.isOpened = true
    },
    onProblem,
    onGameServer(gameServer) {
      limit.end()
      settle(true)
      onGameServer(gameServer)
    },
  })
    .catch((reason: unknown): WatchEnd => ({ reason: toSidecarError(reason, 'UNAVAILABLE', 'The watch ended') }))
    .then((end) => {
      connection.isOver = true
      scope.end()
      settle(false)
      return end
    })
  const connection = {
    transport,
    established,
    ended,
    isOver: false,
    isOpened: false,
    close: (reason?: SidecarError) => scope.end(reason),
  }
  return connection
}
