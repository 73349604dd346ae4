import type { SidecarEnvironment } from './sidecar.js'
import { ConnectionDropped } from './wire/watch-stream.js'

/** Longest time in milliseconds that a timer of a host takes. */
export const longestTimer = 2 ** 31 - 1

/** Calls that are being held up. */
export interface Delays {
  /** Resolves after so long. Rejects at once when the client leaves: nothing of a call may wait for nobody. */
  wait(ms: number, left: AbortSignal): Promise<void>
  /** Rejects all that wait. */
  rejectAll(why: string): void
}

export function createDelays(setTimer: SidecarEnvironment['setTimer']): Delays {
  const waiting = new Set<(error: Error) => void>()
  return {
    wait: (ms, left) =>
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
    rejectAll(why) {
      for (const reject of [...waiting]) reject(new ConnectionDropped(why))
    },
  }
}
