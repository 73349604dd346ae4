import type { Data } from './browser.js'

export interface ConnectOptions {
  /** Opens a data channel for `sendUnreliable()`, where the host and the player's network allow one. Default false. */
  unreliable?: boolean
  /** Timeout in ms of an attempt to open the data channel. Default 10,000. */
  timeout?: number
  /** A class in place of the global WebSocket, such as that of `ws` in Node 20. */
  WebSocket?: unknown
  /** A class in place of the global RTCPeerConnection. */
  RTCPeerConnection?: unknown
}

export interface PlayerEvents {
  open: { readonly type: 'open'; readonly target: PlayerConnection }
  /** Bytes come as an ArrayBuffer. */
  message: { readonly type: 'message'; readonly target: PlayerConnection; readonly data: string | ArrayBuffer }
  close: {
    readonly type: 'close'
    readonly target: PlayerConnection
    readonly code: number
    readonly reason: string
    readonly wasClean: boolean
  }
  error: { readonly type: 'error'; readonly target: PlayerConnection }
  /** `transport` has changed. */
  transport: { readonly type: 'transport'; readonly target: PlayerConnection }
}

type Listener<Type extends keyof PlayerEvents> = (event: PlayerEvents[Type]) => void

/** A player's connection. It has the shape of a WebSocket, and a second way to send. */
export interface PlayerConnection {
  readonly CONNECTING: 0
  readonly OPEN: 1
  readonly CLOSING: 2
  readonly CLOSED: 3
  readonly url: string
  readonly readyState: number
  /** Bytes that wait to be sent, both ways together. */
  readonly bufferedAmount: number
  /** Settable like that of a WebSocket, but only to this value. */
  binaryType: 'arraybuffer'
  /** `webrtc` while unreliable messages go over a data channel. It may change at any time. */
  readonly transport: 'websocket' | 'webrtc'
  onopen: Listener<'open'> | null
  onmessage: Listener<'message'> | null
  onclose: Listener<'close'> | null
  onerror: Listener<'error'> | null
  ontransport: Listener<'transport'> | null
  addEventListener<Type extends keyof PlayerEvents>(type: Type, listener: Listener<Type>): void
  removeEventListener<Type extends keyof PlayerEvents>(type: Type, listener: Listener<Type>): void
  /** Sends a message that arrives, in order. */
  send(data: Data): void
  /**
   * Sends a message that may be lost or come out of order, but never twice, and that never delays other messages. Uses
   * the data channel, or the WebSocket while the channel is down. Drops the message while over 64 KiB wait to be sent.
   */
  sendUnreliable(data: Data): void
  close(code?: number, reason?: string): void
}
