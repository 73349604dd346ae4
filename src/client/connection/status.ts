import type { ConnectionEvent, ConnectionState, Transport } from '../types.js'

/** The state of the connection, for `connection` events and for `client.status`. */
export interface ConnectionStatus {
  readonly current: ConnectionEvent
  set(state: ConnectionState, transport?: Transport, reason?: string): void
  /** Nobody answers: `reconnecting` if a GameServer was seen before, else `connecting`. */
  lost(reason?: string): void
}

export function createConnectionStatus(
  wasConnected: () => boolean,
  emit: (event: ConnectionEvent) => void,
): ConnectionStatus {
  const status = {
    current: { state: 'idle', transport: undefined, reason: undefined } as ConnectionEvent,

    set(state: ConnectionState, transport?: Transport, reason?: string) {
      const previous = status.current
      if (previous.state === 'closed') return
      status.current = { state, transport, reason }
      if (previous.state !== state || previous.transport !== transport) emit(status.current)
    },

    lost: (reason?: string) => status.set(wasConnected() ? 'reconnecting' : 'connecting', undefined, reason),
  }
  return status
}
