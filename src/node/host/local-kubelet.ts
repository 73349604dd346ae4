import { isEnding } from '../exec/game-server-end.js'
import type { LocalSidecar } from '../local/local-sidecar.js'

/** How long after the end of a GameServer the kubelet's SIGTERM is taken to come. */
const KUBELET_MS = 1_000

/**
 * Does the kubelet's part beside a local sidecar: a second after the GameServer was shut down, has become Unhealthy or was
 * deleted, it calls `onEnd` with the state. Returns the function that ends it.
 */
export function endWithGameServer(local: LocalSidecar, onEnd: (state: string) => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const unsubscribe = local.sidecar.log.subscribe(({ changes }) => {
    if (timer !== undefined || changes.length === 0) return
    const { gameServer } = local.sidecar.snapshot()
    if (isEnding(gameServer)) timer = setTimeout(() => onEnd(gameServer.status.state), KUBELET_MS)
  })
  return () => {
    unsubscribe()
    clearTimeout(timer)
  }
}
