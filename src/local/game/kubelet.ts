import { endReasonOf } from '../../protocol/game-server.js'
import { sidecarVariables } from '../gateway/sidecar-url.js'
import { followReplacements, type LocalSidecar } from '../sidecar/local-sidecar.js'

/** How long after the end of its GameServer the kubelet's SIGTERM reaches a game that still runs. */
export const KUBELET_MS = 1_000

/** Longest wait for a requested state: the sidecar writes it half a second later, unless a fault delays the write. */
const WRITE_MS = 2_000

/**
 * Calls `onEnd` with the state one second after the GameServer became Shutdown or Unhealthy, or was deleted, and again for
 * each fresh GameServer. Returns the function that ends it.
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

/** Whether the GameServer has ended. Waits for a queued call of the game that ends it. */
export async function hasGameServerEnded({ sidecar }: LocalSidecar): Promise<boolean> {
  const isEndPending = (): boolean =>
    sidecar.snapshot().pending.some(({ write }) => write === 'Shutdown' || write === 'Unhealthy')
  if (!isEndPending()) return endReasonOf(sidecar.snapshot().gameServer) !== undefined
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, WRITE_MS)
    const unsubscribe = sidecar.log.subscribe(() => {
      if (isEndPending()) return
      clearTimeout(timer)
      unsubscribe()
      resolve()
    })
  })
  return true
}

/**
 * Ends the GameServer of a game that has ended by itself and isn't started again, even before Ready.
 * Source: pkg/gameservers/health.go and succeeded.go, as of release 1.61.
 */
export function endGameServer(local: LocalSidecar, exitCode: number): void {
  local.control({ type: 'setState', state: exitCode === 0 ? 'Shutdown' : 'Unhealthy' })
}

/** Puts a fresh GameServer in the place of the one whose game has ended, and returns the sentence that says so. */
export function replaceGameServer(local: LocalSidecar): string {
  let sentence = ''
  const stop = followReplacements(local, (told) => (sentence = told))
  local.control({ type: 'restart', fresh: true })
  stop()
  return sentence
}
