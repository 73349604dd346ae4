import type { WebSocketLike } from '../wire/sockets.js'

/** The arguments that the runner gives to the script. */
export interface HostConfig {
  /** Address and port of the gateway, such as `127.0.0.1:8080`. */
  readonly host: string
  /** Path at which the page opens its one socket to the players, with the secret. */
  readonly playersPath: string
  /** Whether the browser draws the page and runs its frames. Otherwise a timer runs them. */
  readonly isDrawn: boolean
  /** Whether the time between steps is measured. */
  readonly isTimed: boolean
}

/** What the host still waits for when the page has settled: nothing, the last calls of its clients, or `shutdown()`. */
export type EndWait = 'nothing' | 'calls' | 'shutdown'

export type FrameCallback = (time: number) => void

/** The globals of a page that this script uses. */
export interface PageWindow {
  readonly top: unknown
  readonly location: { readonly host: string }
  readonly WebSocket: new (url: string) => WebSocketLike
  readonly Event: new (type: string) => Event
  readonly MessageEvent: new (type: string, init: { readonly data: unknown }) => Event
  readonly CloseEvent: new (type: string, init: CloseInit) => Event
  readonly DOMException: new (message: string, name: string) => Error
  readonly Blob: new (parts: readonly Uint8Array[]) => PageBlob
  readonly performance: { now(): number }
  requestAnimationFrame(callback: FrameCallback): number
  cancelAnimationFrame(id: number): void
  queueMicrotask(callback: () => void): void
  setTimeout(callback: () => void, ms: number): unknown
  reportError(error: unknown): void
}

/** The reason why a connection has ended, as in its close event. */
export interface CloseInit {
  readonly code: number
  readonly reason: string
  readonly wasClean: boolean
}

/** A browser's Blob, as far as it is used here. */
export interface PageBlob {
  readonly size: number
  arrayBuffer(): Promise<ArrayBuffer>
}

/** The globals as they were before the game's scripts ran, which may wrap them. */
export type PageGlobals = ReturnType<typeof keepGlobals>

export function keepGlobals(page: PageWindow) {
  const { Blob, CloseEvent, DOMException, Event, MessageEvent, WebSocket } = page
  return {
    ...{ Blob, CloseEvent, DOMException, Event, MessageEvent, WebSocket },
    queueMicrotask: page.queueMicrotask.bind(page),
    setTimeout: page.setTimeout.bind(page),
    reportError: page.reportError.bind(page),
  }
}
