/** What the runner tells the script when it puts it into the page. */
export interface HostConfig {
  /** Path at which the page opens its one socket to the players, with the secret. */
  readonly playersPath: string
}

/** The globals of a page that are used here. They are taken before the game's own scripts run, which may replace them. */
export interface PageWindow {
  readonly top: unknown
  readonly location: { readonly host: string }
  readonly WebSocket: new (url: string) => PageSocket
  requestAnimationFrame(callback: (time: number) => void): number
  queueMicrotask(callback: () => void): void
  reportError(error: unknown): void
}

/** A browser's WebSocket, as far as it is used here. */
export interface PageSocket {
  binaryType: string
  readonly bufferedAmount: number
  readonly readyState: number
  onopen: (() => void) | null
  onmessage: ((event: { readonly data: unknown }) => void) | null
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null
  send(data: Uint8Array): void
  close(code?: number, reason?: string): void
}
