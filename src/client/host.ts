import type { AbortSignalLike, ClientOptions } from './types.js'

/** What a host may have. Every one is optional: script VMs have next to nothing. */
export interface HostGlobals extends Pick<ClientOptions, 'fetch' | 'WebSocket' | 'XMLHttpRequest' | 'TextDecoder'> {
  AbortController?: new () => { readonly signal: AbortSignalLike; abort(): void }
  setTimeout?(callback: () => void, ms: number): unknown
  clearTimeout?(id: unknown): void
  performance?: { now?(): number }
  reportError?(error: unknown): void
  location?: { origin?: string; search?: string }
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
  return typeof globalThis === 'object'
    ? (globalThis as unknown as HostGlobals)
    : typeof self === 'object'
      ? self!
      : typeof window === 'object'
        ? window!
        : typeof global === 'object'
          ? global!
          : {}
}

type Replaceable = 'fetch' | 'WebSocket' | 'XMLHttpRequest' | 'TextDecoder'

/** What an option gives, or else the host. */
export function pick<K extends Replaceable>(options: ClientOptions, name: K): HostGlobals[K] {
  return (options as HostGlobals)[name] || host()[name]
}

/** What a function returns, or undefined if it throws. */
export function tryTo<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}
