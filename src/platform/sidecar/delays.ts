import type { SidecarEnvironment } from './sidecar.js'
import { ConnectionDropped } from './wire/watch-stream.js'

export type Delays = ReturnType<typeof createDelays>

/** The calls that faults delay. */
export function createDelays(setTimer: SidecarEnvironment['setTimer']) {
  const waiting = new Set<(error: Error) => void>()
  return {
    /** Resolves after `ms`. Rejects when the client leaves: a call without a client isn't kept. */
    wait: (ms: number, left: AbortSignal): Promise<void> =>
      new Promise((resolve, reject) => {
        const leave = (): void => end(new ConnectionDropped('the client left'))
        const forget = (): void => {
          waiting.delete(end)
          left.removeEventListener('abort', leave)
        }
        const end = (error: Error): void => {
          forget()
          cancel()
          reject(error)
        }
        const cancel = setTimer(ms, () => {
          forget()
          resolve()
        })
        waiting.add(end)
        left.addEventListener('abort', leave)
        if (left.aborted) leave()
      }),
    rejectAll(why: string): void {
      for (const reject of [...waiting]) reject(new ConnectionDropped(why))
    },
  }
}
