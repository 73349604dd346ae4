import { spawnSync } from 'node:child_process'
import { describe, it } from 'vitest'
import { binaries } from '../../contract/support/releases.js'

const missing = [
  ...(process.env['KUBECONFIG'] ? [] : ['KUBECONFIG names no cluster']),
  ...(binaries.length > 0 ? [] : ['SDK_SERVER names no binary of a sidecar']),
  ...(spawnSync('kubectl', ['version', '--client']).status === 0 ? [] : ['kubectl is not in PATH']),
]

/** A suite that plays on a cluster; without one, it says loudly that it played nothing. */
export function describeOnCluster(suite: string, play: () => void, alsoMissing: readonly string[] = []): void {
  const reasons = [...missing, ...alsoMissing]
  if (reasons.length === 0) return void describe(suite, play)
  const message = `SKIPPED: ${suite} on a cluster (${reasons.join(', ')})`
  console.warn(message)
  describe(suite, () => it.skip(message, () => undefined))
}
