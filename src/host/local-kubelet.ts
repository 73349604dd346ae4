import { KUBELET_MS } from '../local/game.js'
import type { LocalSidecar, LocalSidecarOptions } from '../local/sidecar.js'

/** Longest wait, beyond the grace period, for a host to say that its game has ended. */
const LATEST_MS = 60_000

/** Why an Unhealthy GameServer is ended, and how to avoid that for the next one. */
export function describeUnhealthy({ sidecar }: LocalSidecar): string {
  const { beats, failures, periodSeconds, failureThreshold } = sidecar.snapshot().health
  const sentence = 'The GameServer is Unhealthy, so the platform would end it now'
  if (failures < failureThreshold) return sentence
  const seconds = periodSeconds * failureThreshold
  return beats === 0
    ? `${sentence}: no beat has ever come. createClient({ autoHealth: true }) sends them`
    : `${sentence}: no beat has come for ${seconds} s`
}

/**
 * The options of a local sidecar whose GameServer the host replaces when its game has ended. If the host never does, the
 * sidecar replaces it long after the grace period.
 */
export function withReplacement(options: LocalSidecarOptions, grace: number): LocalSidecarOptions {
  return replaces(options) ? { ...options, replace: KUBELET_MS + 2 * grace + LATEST_MS } : options
}

/** Whether a host starts its game again for a fresh GameServer. */
export const replaces = (local: boolean | LocalSidecarOptions | undefined): boolean =>
  typeof local === 'object' && local.replace === true
