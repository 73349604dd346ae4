/** What is used of a WebSocket: of a browser's, or of a class that is given in its place. */
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

/** An unreliable message is old by the time it leaves behind so many bytes, so it is dropped. */
export const STALE_BYTES = 64 * 1024
