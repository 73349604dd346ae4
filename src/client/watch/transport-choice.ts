import type { ResolvedOptions } from '../options.js'
import { SidecarError } from '../runtime/errors.js'
import { pick } from '../runtime/host.js'
import type { Transport } from '../types.js'

/** ms for a first object where the other transport is at hand, so that it is there within 5 s. */
const FIRST_OBJECT_TIMEOUT = 2000

/** Chooses the transport of the next dial: WebSocket first, and the HTTP stream where that fails. */
export interface TransportChoice {
  next(): { transport: Transport; patience: number }
  established(): void
  /**
   * @param replacing whether another connection is open meanwhile
   * @param opened whether the other side took the connection
   * @returns the error that the user must be told, if any
   */
  failed(transport: Transport, reason: SidecarError, opened: boolean, replacing: boolean): SidecarError | undefined
  /** Why it isn't the WebSocket; undefined gives that another chance. */
  fallback: string | undefined
}

/** @param isDirect whether answers can't be read here, a stream being one: then it is the WebSocket or nothing */
export function createTransportChoice(
  options: Pick<ResolvedOptions, 'watch' | 'timeout' | 'WebSocket'>,
  isDirect: () => boolean,
): TransportChoice {
  const { watch, timeout: patience } = options
  /** WebSockets in a row that ended before their first object. */
  let failures = 0
  /** How many of those had been open: a dial that nobody took says nothing. */
  let ended = 0

  const choice: TransportChoice = {
    fallback: undefined,

    next() {
      if (isDirect()) return { transport: 'websocket', patience }
      if (watch !== 'auto') return { transport: watch, patience }
      if (!pick(options, 'WebSocket')) choice.fallback = 'There is no WebSocket here'
      return choice.fallback
        ? { transport: 'stream', patience }
        : { transport: 'websocket', patience: FIRST_OBJECT_TIMEOUT }
    },

    established() {
      failures = ended = 0
    },

    failed(transport, reason, opened, replacing) {
      if (transport !== 'websocket') return undefined
      failures++
      // Open but silent is a known fault of some sidecars; so is one that ends before each object over 64 KiB.
      if (watch === 'auto' && !isDirect()) {
        if (replacing || failures > 1 || reason.code !== 'UNAVAILABLE') choice.fallback = reason.summary
      } else if (opened && ++ended === 2)
        return new SidecarError('LIMIT', 'The WebSocket ends before each object', {
          hint: "An object over 64 KiB needs watch: 'auto'",
          cause: reason,
        })
      return undefined
    },
  }
  return choice
}
