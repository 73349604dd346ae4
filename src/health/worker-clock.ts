import { host, tryTo } from '../client/host.js'
import type { Scope } from '../client/scope.js'

/**
 * A worker that does nothing but wake the page twice a second, until the scope ends, so that what is due runs also in a
 * hidden tab. The work stays in the page: while its thread is blocked no beat goes out. Where there are no workers, or
 * a policy forbids them, the page's own timers must do.
 */
export function startWorkerClock(scope: Scope, tick: () => void): void {
  const { Worker, Blob, URL } = host()
  tryTo(() => {
    const url = URL!.createObjectURL!(new Blob!(['setInterval(postMessage,500,0)']))
    const worker = new Worker!(url)
    worker.onmessage = () => tick()
    scope._onEnd(() => {
      worker.terminate()
      URL!.revokeObjectURL!(url)
    })
  })
}
