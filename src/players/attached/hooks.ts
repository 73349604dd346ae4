import type { SidecarClient } from '../../index.js'

/** The part of `http.Server` that is used. */
export interface HttpServerLike {
  readonly listening: boolean
  once(event: 'listening', listener: () => void): unknown
  removeListener(event: 'listening', listener: () => void): unknown
  close(done: () => void): unknown
  emit(...values: never[]): unknown
  closeIdleConnections(): void
  closeAllConnections(): void
}

/** Calls back once the server listens, possibly at once. Returns a function that stops waiting. */
export function whenListening(
  server: Pick<HttpServerLike, 'once' | 'removeListener'>,
  isListening: boolean,
  onListening: () => void,
): () => void {
  if (isListening) onListening()
  else server.once('listening', onListening)
  return () => void server.removeListener('listening', onListening)
}

export function closed(server: { close(done: () => void): unknown } | undefined): Promise<void> {
  return new Promise((resolve) => (server ? void server.close(() => resolve()) : resolve()))
}

type Method = (...values: never[]) => unknown

/** Replaces a method of one object. Returns a function that restores the previous method. */
export function override<Name extends string>(
  target: { [name in Name]?: Method | null | undefined },
  name: Name,
  replace: (before: (...values: unknown[]) => unknown) => (...values: never[]) => unknown,
): () => void {
  const wasOwn = Object.prototype.hasOwnProperty.call(target, name)
  const before = target[name]
  const replacement = replace(before as (...values: unknown[]) => unknown)
  target[name] = replacement
  return () => {
    // Other code may have replaced the method since.
    if (target[name] !== replacement) return
    if (wasOwn) target[name] = before
    else delete target[name]
  }
}

/** Waits on the client's own timers. Resolves early when the client is closed. */
export function pause(client: SidecarClient, ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (client.status.connection === 'closed') return resolve()
    const off = client.on('connection', ({ state }) => {
      if (state === 'closed') end()
    })
    const cancel = client.after(ms, end)
    function end(): void {
      off()
      cancel()
      resolve()
    }
  })
}
