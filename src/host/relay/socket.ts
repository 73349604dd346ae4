/** The part of a WebSocket that is used, of the browser's class or of a given one. */
export interface WebSocketLike {
  binaryType: string
  readonly bufferedAmount: number
  readonly protocol: string
  readonly readyState: number
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
  send(data: never): void
  close(code?: number, reason?: string): void
}

/** Values of a WebSocket's `readyState`. */
export const STATES = { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 } as const

/** With more unsent bytes than this, an unreliable message would be stale when sent, so it is dropped. */
export const STALE_BYTES = 64 * 1024
