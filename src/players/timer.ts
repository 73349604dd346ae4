import type { AbortSignalLike, SidecarClient, SidecarError } from '../index.js'

/** The client's own timers: they follow its clock and its `tick()`, and end with it. */
export type TimerClient = Pick<SidecarClient<never>, 'once'>

/** A signal for one call, and what aborts it: not every host has an AbortController. */
export function createStop(): { readonly signal: AbortSignalLike; stop(): void } {
  let abort = (): void => {}
  const signal = {
    aborted: false,
    addEventListener(_: 'abort', listener: () => void) {
      abort = listener
    },
    removeEventListener() {},
  }
  return {
    signal,
    stop() {
      signal.aborted = true
      abort()
    },
  }
}

/**
 * Runs something after so many ms, unless the function that it returns is called before, or the client is closed.
 */
export function after(client: TimerClient, ms: number, run: () => void): () => void {
  const { signal, stop } = createStop()
  // No event is awaited: what the call offers is a timer. Should there be a signal, it begins again.
  const start = (): void =>
    void client.once('signal', { timeout: ms, signal }).then(start, (error: unknown) => {
      if ((error as SidecarError).code === 'TIMEOUT' && !signal.aborted) run()
    })
  start()
  return stop
}
