import type { AbortSignalLike, SidecarClient, SidecarError } from '../index.js'

/** The client's own timers: they follow its clock and its `tick()`, and end with it. */
export type TimerClient = Pick<SidecarClient<never>, 'once'>

/**
 * A signal for one call, and what aborts it: not every host has an AbortController.
 *
 * @param parent aborts it as well
 */
export function createStop(parent?: AbortSignalLike): { readonly signal: AbortSignalLike; stop(): void } {
  let isStopped = false
  let abort = (): void => {}
  const signal: AbortSignalLike = {
    get aborted() {
      return isStopped || !!parent?.aborted
    },
    get reason() {
      return parent?.reason
    },
    addEventListener(type, listener) {
      abort = listener
      parent?.addEventListener(type, listener)
    },
    removeEventListener(type, listener) {
      parent?.removeEventListener(type, listener)
    },
  }
  return {
    signal,
    stop() {
      isStopped = true
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
