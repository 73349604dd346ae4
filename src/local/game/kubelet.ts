import { endReasonOf } from '../../protocol/game-server.js'
import { sidecarVariables } from '../gateway/sidecar-url.js'
import type { LocalSidecar } from '../sidecar/local-sidecar.js'

/** How long after the end of its GameServer the kubelet's SIGTERM reaches a game that still runs. */
export const KUBELET_MS = 1_000

/** Longest wait for a requested state: the sidecar writes it half a second later, unless a fault delays the write. */
const WRITE_MS = 2_000

/**
 * Does the kubelet's part beside a local sidecar: one second after the GameServer became Shutdown or Unhealthy, or was
 * deleted, calls `onEnd` with the state. Repeats this for each fresh GameServer. Returns the function that ends it.
 */
export function endWithGameServer(local: LocalSidecar, onEnd: (state: string) => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const unsubscribe = local.sidecar.log.subscribe(({ changes }) => {
    if (changes.length === 0) return
    const { gameServer } = local.sidecar.snapshot()
    if (endReasonOf(gameServer) === undefined) {
      clearTimeout(timer)
      timer = undefined
      return
    }
    timer ??= setTimeout(() => onEnd(gameServer.status.state), KUBELET_MS)
  })
  return () => {
    unsubscribe()
    clearTimeout(timer)
  }
}

/** The variables of a game beside a local sidecar: where the sidecar is, and what a pod may give of its GameServer. */
export function gameVariables({ url, sidecar }: LocalSidecar, platform: string): Readonly<Record<string, string>> {
  const { object_meta: meta, status } = sidecar.snapshot().gameServer
  const port = status.ports?.[0]?.port
  const fleet = meta.labels?.[`${platform}.dev/fleet`]
  return {
    ...sidecarVariables(platform, new URL(url)),
    ...(port === undefined ? {} : { PORT: String(port) }),
    GAMESERVER_NAME: meta.name,
    ...(fleet === undefined ? {} : { FLEET_NAME: fleet }),
  }
}

/** Whether a call that ends the GameServer is still queued in the sidecar. */
const isEndPending = ({ sidecar }: LocalSidecar): boolean =>
  sidecar.snapshot().pending.some(({ write }) => write === 'Shutdown' || write === 'Unhealthy')

/** Whether the GameServer is ending, or will be when the pending write is done. */
export const isToEnd = (local: LocalSidecar): boolean =>
  endReasonOf(local.sidecar.snapshot().gameServer) !== undefined || isEndPending(local)

/** Whether the game's last call ends its GameServer; resolves once that call is written. */
export async function untilEndIsWritten(local: LocalSidecar): Promise<boolean> {
  if (!isEndPending(local)) return false
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, WRITE_MS)
    const unsubscribe = local.sidecar.log.subscribe(() => {
      if (isEndPending(local)) return
      clearTimeout(timer)
      unsubscribe()
      resolve()
    })
  })
  return true
}
