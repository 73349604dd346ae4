import { host } from '../client/host.js'
import type { Timers } from '../client/timers.js'

/**
 * A worker that does nothing but wake the page twice a second, so that what is due runs also in a hidden tab. The work
 * stays in the page: while its thread is blocked no beat goes out. Returns the function that ends the worker; where
 * there are none, or a policy forbids them, the page's own timers must do.
 */
export function startWorkerClock(timers: Timers): () => void {
  const { Worker, Blob, URL } = host()
  try {
    const url = URL!.createObjectURL!(new Blob!(['setInterval(postMessage,500,0)']))
    const worker = new Worker!(url)
    worker.onmessage = () => timers._tick()
    return () => {
      worker.terminate()
      URL!.revokeObjectURL!(url)
    }
  } catch {
    return () => {}
  }
}
