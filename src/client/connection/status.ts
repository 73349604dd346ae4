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
  let current: ConnectionEvent = { state: 'idle', transport: undefined, reason: undefined }

  function set(state: ConnectionState, transport?: Transport, reason?: string): void {
    const previous = current
    if (previous.state === 'closed') return
    current = { state, transport, reason }
    if (previous.state !== state || previous.transport !== transport) emit(current)
  }

  return {
    get current() {
      return current
    },
    set,
    lost: (reason) => set(wasConnected() ? 'reconnecting' : 'connecting', undefined, reason),
  }
}
