import type { WebSocketLike } from '../wire/sockets.js'

export type WebSocketClass = new (url: string, protocols?: string[]) => WebSocketLike

/** The part of a browser's RTCDataChannel that is used. */
export interface DataChannelLike {
  binaryType: string
  readonly bufferedAmount: number
  readonly readyState: string
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  send(data: never): void
}

/** The part of a browser's RTCPeerConnection that is used. */
export interface PeerConnectionLike {
  readonly connectionState: string
  readonly localDescription: { readonly sdp: string } | null
  onconnectionstatechange: ((event: never) => void) | null
  createDataChannel(label: string, options: object): DataChannelLike
  createOffer(): Promise<unknown>
  setLocalDescription(description: never): Promise<void>
  setRemoteDescription(description: never): Promise<void>
  addIceCandidate(candidate: never): Promise<void>
  close(): void
}

export type PeerConnectionClass = new (configuration?: never) => PeerConnectionLike

/** What a message may be: text, or bytes in any of their forms. */
export type Data = string | ArrayBuffer | ArrayBufferView | BlobLike

/** A browser's Blob. */
export interface BlobLike {
  readonly size: number
  readonly type: string
}

/** Globals of a browser. Other hosts may lack some. */
export const globals = (): {
  WebSocket?: WebSocketClass
  RTCPeerConnection?: PeerConnectionClass
  AbortController: new () => { readonly signal: { readonly aborted: boolean }; abort(): void }
  performance: { now(): number }
  fetch(url: string, options: object): Promise<{ readonly ok: boolean; text(): Promise<string> }>
  setTimeout(callback: () => void, ms: number): unknown
  clearTimeout(timer: unknown): void
} => (typeof globalThis === 'object' ? globalThis : self) as never

declare const self: unknown
