import { SidecarError } from '../runtime/errors.js'
import type { ClientOptions, Transport } from '../types.js'

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
  /** The WebSocket gets another chance. */
  forget(): void
  /** Why it isn't the WebSocket. */
  readonly fallback: string | undefined
}

interface Parts {
  readonly watch: NonNullable<ClientOptions['watch']>
  /** ms */
  readonly timeout: number
  hasWebSocket(): boolean
  isDirect(): boolean
}

export function createTransportChoice({ watch, timeout, hasWebSocket, isDirect }: Parts): TransportChoice {
  let fallback: string | undefined
  /** WebSockets in a row that ended before their first object. */
  let failures = 0
  /** How many of those had been open: a dial that nobody took says nothing. */
  let ended = 0
  /** A stream is an answer, which can't be read in direct mode: there it is the WebSocket or nothing. */
  const isAuto = (): boolean => watch === 'auto' && !isDirect()

  return {
    get fallback() {
      return fallback
    },

    next() {
      if (isDirect()) return { transport: 'websocket', patience: timeout }
      if (watch !== 'auto') return { transport: watch, patience: timeout }
      if (!hasWebSocket()) fallback = 'There is no WebSocket here'
      return fallback
        ? { transport: 'stream', patience: timeout }
        : { transport: 'websocket', patience: FIRST_OBJECT_TIMEOUT }
    },

    established() {
      failures = ended = 0
    },

    failed(transport, reason, opened, replacing) {
      if (transport !== 'websocket') return undefined
      failures++
      // Open but silent is a known fault of some sidecars; so is one that ends before each object over 64 KiB.
      if (isAuto()) {
        if (replacing || failures > 1 || reason.code !== 'UNAVAILABLE') fallback = reason.summary
      } else if (opened && ++ended === 2)
        return new SidecarError('LIMIT', 'The WebSocket ends before each object', {
          hint: "An object over 64 KiB needs watch: 'auto'",
          cause: reason,
        })
      return undefined
    },

    forget() {
      fallback = undefined
    },
  }
}
