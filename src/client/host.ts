import type { AbortSignalLike, ClientOptions, LoggerLike } from './option-types.js'

/** The part of a Worker that is used. */
export interface WorkerLike {
  onmessage: ((event: { data: never }) => void) | null
  onerror: (() => void) | null
  postMessage(message: unknown): void
  terminate(): void
}

/** The part of an event target that is used: a page, or the global of a hosted page. */
export interface EventTargetLike {
  addEventListener?(type: string, listener: (event: never) => void, capture: boolean): void
  removeEventListener?(type: string, listener: (event: never) => void, capture: boolean): void
}

/** The globals that a host may have. Every one is optional: script VMs have almost none. */
export interface HostGlobals
  extends EventTargetLike, Pick<ClientOptions, 'fetch' | 'WebSocket' | 'XMLHttpRequest' | 'TextDecoder'> {
  AbortController?: new () => { readonly signal: AbortSignalLike; abort(reason?: unknown): void }
  setTimeout?(callback: () => void, ms: number): unknown
  clearTimeout?(id: unknown): void
  performance?: { now?(): number }
  reportError?(error: unknown): void
  location?: { origin?: string; search?: string }
  document?: { currentScript?: { dataset?: Record<string, string | undefined> } | null }
  navigator?: { sendBeacon?(url: string, body: string): boolean }
  console?: LoggerLike
  process?: { env?: Record<string, string | undefined> }
  Worker?: new (url: string) => WorkerLike
  Blob?: new (parts: string[]) => unknown
  URL?: { createObjectURL?(blob: unknown): string; revokeObjectURL?(url: string): void }
  GAMESERVER_SIDECAR?: unknown
  /** The global of a hosted page. Its event `ending` is for the client alone: a game listens to `shutdown`. */
  gameServerHost?: EventTargetLike
}

declare const self: HostGlobals | undefined
declare const window: HostGlobals | undefined
declare const global: HostGlobals | undefined

/** The global object, looked up at each use: engines install parts of it late. */
export function host(): HostGlobals {
  return typeof globalThis === 'object'
    ? (globalThis as unknown as HostGlobals)
    : typeof self === 'object'
      ? self
      : typeof window === 'object'
        ? window
        : typeof global === 'object'
          ? global
          : {}
}

type Replaceable = 'fetch' | 'WebSocket' | 'XMLHttpRequest' | 'TextDecoder'

/** Takes a global from the options, or else from the host. */
export function pick<K extends Replaceable>(options: ClientOptions, name: K): HostGlobals[K] {
  return (options as HostGlobals)[name] || host()[name]
}

/** The result of a function, or a fallback if the function throws. */
export function tryTo<T>(run: () => T): T | undefined
export function tryTo<T>(run: () => T, otherwise: T): T
export function tryTo<T>(run: () => T, otherwise?: T): T | undefined {
  try {
    return run()
  } catch {
    return otherwise
  }
}
