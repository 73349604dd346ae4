import type { AbortSignalLike, ClientOptions, FetchLike, WebSocketConstructor, XMLHttpRequestLike } from './types.js'

/** What a host may have. Every one is optional: script VMs have next to nothing. */
export interface HostGlobals {
  fetch?: FetchLike
  WebSocket?: WebSocketConstructor
  XMLHttpRequest?: new () => XMLHttpRequestLike
  TextDecoder?: NonNullable<ClientOptions['TextDecoder']>
  AbortController?: new () => { readonly signal: AbortSignalLike; abort(): void }
  setTimeout?(callback: () => void, ms: number): unknown
  clearTimeout?(id: unknown): void
  performance?: { now?(): number }
  reportError?(error: unknown): void
  location?: { origin?: string; search?: string; protocol?: string }
  document?: { currentScript?: { dataset?: Record<string, string | undefined> } | null }
  process?: { env?: Record<string, string | undefined> }
  Worker?: new (url: string) => { onmessage: (() => void) | null; terminate(): void }
  Blob?: new (parts: string[]) => unknown
  URL?: { createObjectURL?(blob: unknown): string; revokeObjectURL?(url: string): void }
  GAMESERVER_SIDECAR?: unknown
}

declare const self: HostGlobals | undefined
declare const window: HostGlobals | undefined
declare const global: HostGlobals | undefined

/** The global object, looked up at each use: engines install parts of it late. */
export function host(): HostGlobals {
  return typeof globalThis !== 'undefined'
    ? (globalThis as unknown as HostGlobals)
    : typeof self !== 'undefined'
      ? self!
      : typeof window !== 'undefined'
        ? window!
        : typeof global !== 'undefined'
          ? global!
          : {}
}
