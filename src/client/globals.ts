/** Cancels a call: an AbortSignal, or anything of its shape. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

export interface FetchInit {
  method: string
  headers: Record<string, string>
  body: string | undefined
  redirect: 'manual' | 'follow'
  cache: 'no-store'
  mode?: 'no-cors'
  signal?: AbortSignalLike
}

export interface FetchResponse {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  /** The body as a stream, if the host can stream; otherwise `text()` is read. */
  readonly body?: unknown
  text(): Promise<string>
}

/** The part of `fetch` that is used. Declared as a method so that the host's own, stricter type fits. */
export type FetchLike = { call(url: string, init: FetchInit): Promise<FetchResponse> }['call']

/** The part of a WebSocket that is used: the four `on*` properties and `close`. */
export interface WebSocketLike {
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  close(): void
}

export type WebSocketConstructor = new (url: string) => WebSocketLike

/** The part of an XMLHttpRequest that is used where there is no fetch. */
export interface XMLHttpRequestLike {
  readonly readyState: number
  readonly status: number
  readonly responseText: string
  onreadystatechange: ((event: never) => void) | null
  open(method: string, url: string, async: boolean): void
  setRequestHeader(name: string, value: string): void
  getResponseHeader(name: string): string | null
  send(body?: string | null): void
  abort(): void
}

export type TextDecoderConstructor = new (
  label: string,
  options?: { ignoreBOM: boolean; fatal: boolean },
) => { decode(bytes: Uint8Array, options?: { stream: boolean }): string }

export interface SchedulerLike {
  setTimeout(callback: () => void, ms: number): unknown
  /** Called instead for time limits of calls and waits, also Infinity: tells a virtual clock that a caller waits. */
  setLimit?(callback: () => void, ms: number): unknown
  clearTimeout(id: never): void
}

export interface LoggerLike {
  warn?(message: string): unknown
  error?(message: unknown): unknown
}

/** The part of an event target that is used: a page, or the global of a hosted page. */
export interface EventTargetLike {
  addEventListener?(type: string, listener: (event: never) => void, capture: boolean): void
  removeEventListener?(type: string, listener: (event: never) => void, capture: boolean): void
}

/** The part of Node's `process` that is used. */
export interface ProcessLike {
  env?: Record<string, string | undefined>
  on?(signal: string, listener: (signal: string) => void): void
  removeListener?(signal: string, listener: (signal: string) => void): void
  exit?(code: number): void
}

/** The globals that options may replace. */
export interface Replaceable {
  fetch?: FetchLike
  WebSocket?: WebSocketConstructor
  XMLHttpRequest?: new () => XMLHttpRequestLike
  TextDecoder?: TextDecoderConstructor
}

/** The globals that a host may have. Every one is optional: script VMs have almost none. */
export interface Globals extends EventTargetLike, Replaceable {
  AbortController?: new () => { readonly signal: AbortSignalLike; abort(): void }
  setTimeout?(callback: () => void, ms: number): unknown
  clearTimeout?(id: unknown): void
  performance?: { now?(): number }
  reportError?(error: unknown): void
  location?: { origin?: string; search?: string }
  document?: { currentScript?: { dataset?: Record<string, string | undefined> } | null }
  navigator?: { sendBeacon?(url: string, body: string): boolean }
  console?: LoggerLike
  process?: ProcessLike
  Worker?: new (url: string) => { onmessage: (() => void) | null; onerror: (() => void) | null; terminate(): void }
  Blob?: new (parts: string[]) => unknown
  URL?: { createObjectURL?(blob: unknown): string; revokeObjectURL?(url: string): void }
  GAMESERVER_SIDECAR?: unknown
  /** The global of a hosted page. Its event `ending` is for the client alone: a game listens to `shutdown`. */
  gameServerHost?: EventTargetLike
}

/** The global object, looked up at each use: engines install parts of it late. */
export const globals = (): Globals => globalThis as unknown as Globals

/** Takes a global from the options, or else from the host. */
export function pick<K extends keyof Replaceable>(options: Replaceable, name: K): Replaceable[K] {
  return options[name] ?? globals()[name]
}

/** Warns by the logger, or else on the host's console. */
export function warn(logger: LoggerLike | undefined, message: string): void {
  const sink = logger ?? globals().console
  if (sink?.warn) sink.warn('gameserver-sidecar: ' + message)
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
