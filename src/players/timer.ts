import type { AbortSignalLike, CallOptions, SidecarClient, SidecarError } from '../index.js'

/** The client's own timers: they follow its clock and its `tick()`, and end with it. */
export type TimerClient = Pick<SidecarClient<never>, 'once'>

/**
 * Runs something after so many ms, unless the function that it returns is called before, or the client is closed.
 */
export function after(client: TimerClient, ms: number, run: () => void): () => void {
  return limit(client, { timeout: ms }, ({ code }) => {
    if (code === 'TIMEOUT') run()
  })
}

/**
 * Ends a wait: with `TIMEOUT`, `ABORTED` by the caller's signal, or `CLOSED`. Returns the function that lifts the limit.
 *
 * @param timeout ms; Infinity for none
 */
export function limit(
  client: TimerClient,
  { timeout, signal }: CallOptions,
  end: (error: SidecarError) => void,
): () => void {
  let stop: (() => void) | undefined
  const own: AbortSignalLike = {
    get aborted() {
      return !!signal?.aborted
    },
    get reason() {
      return signal?.reason
    },
    addEventListener(type, listener) {
      stop = listener
      signal?.addEventListener(type, listener)
    },
    removeEventListener(type, listener) {
      signal?.removeEventListener(type, listener)
    },
  }
  let isOver = false
  // No event is awaited: what the call offers is a timer. Should there be a signal, it begins again.
  const start = (): void =>
    void client.once('signal', { timeout: timeout!, signal: own }).then(
      () => isOver || start(),
      (error: unknown) => {
        if (!isOver) end(error as SidecarError)
        isOver = true
      },
    )
  start()
  return () => {
    isOver = true
    stop?.()
  }
}
