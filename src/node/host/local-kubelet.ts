import { replacementSentence } from '../../sidecar/index.js'
import { endReasonOf } from '../../protocol/game-server.js'
import type { LocalSidecar } from '../local/local-sidecar.js'
import type { LocalSidecarOptions } from '../local/local-sidecar-options.js'

/** How long after the end of a GameServer the kubelet's SIGTERM is taken to come. */
const KUBELET_MS = 1_000
/** Longest wait, beyond the grace period, for a host to say that its game has ended. */
const LATEST_MS = 60_000

/**
 * Does the kubelet's part beside a local sidecar: a second after the GameServer was shut down, has become Unhealthy or was
 * deleted, it calls `onEnd` with the state; again for each fresh one. Returns the function that ends it.
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

/** Why a GameServer that has become Unhealthy is ended, and what keeps the next one from it. */
export function describeUnhealthy({ sidecar }: LocalSidecar): string {
  const { beats, failures, periodSeconds, failureThreshold } = sidecar.snapshot().health
  const sentence = 'The GameServer is Unhealthy, so the platform would end it now'
  if (failures < failureThreshold) return sentence
  const seconds = periodSeconds * failureThreshold
  return beats === 0
    ? `${sentence}: no beat has ever come. createClient({ autoHealth: true }) sends them`
    : `${sentence}: no beat has come for ${seconds} s`
}

/** Whether the GameServer is ending, or will be when the write that waits is done. */
export function isToEnd({ sidecar }: LocalSidecar): boolean {
  const { gameServer, pending } = sidecar.snapshot()
  return (
    endReasonOf(gameServer) !== undefined || pending.some(({ write }) => write === 'Shutdown' || write === 'Unhealthy')
  )
}

/**
 * The options of a local sidecar whose GameServer is replaced when its game has ended, which the host says by
 * `replaceGameServer()`. Should that never come, the sidecar does it when the grace period is long over.
 */
export function withReplacement(options: LocalSidecarOptions, grace: number): LocalSidecarOptions {
  return replaces(options) ? { ...options, replace: KUBELET_MS + 2 * grace + LATEST_MS } : options
}

/** Whether a host starts its game again for a fresh GameServer. */
export const replaces = (local: boolean | LocalSidecarOptions | undefined): boolean =>
  typeof local === 'object' && local.replace === true

/** Puts a fresh GameServer in the place of the one whose game has ended, and returns the sentence that says so. */
export function replaceGameServer({ sidecar }: LocalSidecar): string {
  let sentence = ''
  const unsubscribe = sidecar.log.subscribe(({ changes }) => {
    for (const change of changes) if (change.type === 'replaced') sentence = replacementSentence(change)
  })
  sidecar.control({ type: 'restart', fresh: true })
  unsubscribe()
  return sentence
}
