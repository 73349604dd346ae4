import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { parseObject } from '../../client/answers.js'
import { at, failure, ok, skipped, warning } from './check.js'
import type { Check, Finding } from './check.js'

const TIMEOUT_MS = 5_000
const ACCOUNT = 'system:serviceaccount:default:agones-sdk'

/** Runs `kubectl`, which only reads here. Undefined if it isn't there or can't reach its cluster. */
async function kubectl(...args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('kubectl', [...args, '--request-timeout=3s'], { timeout: TIMEOUT_MS })
    return stdout
  } catch (error) {
    // `auth can-i` says no by its exit code, and on stdout.
    const { stdout } = error as { readonly stdout?: string }
    return stdout?.trim() === 'no' ? stdout : undefined
  }
}

/** The version of the cluster's API server. */
async function clusterVersion(): Promise<string | undefined> {
  const { gitVersion } = at(parseObject((await kubectl('version', '-o', 'json')) ?? ''), 'serverVersion')
  return typeof gitVersion === 'string' ? gitVersion : undefined
}

const withCluster = (run: (version: string) => Promise<Finding>) => async (): Promise<Finding> => {
  const version = await clusterVersion()
  return version === undefined ? skipped('kubectl reaches no cluster from here') : run(version)
}

async function checkPlatform(version: string): Promise<Finding> {
  const cluster = `kubectl reaches a cluster, version ${version}`
  const text = await kubectl('get', 'crd', 'gameservers.agones.dev', '-o', 'json')
  if (text === undefined) {
    return failure(`${cluster}, which knows no GameServer`, 'install the platform: helm install agones agones/agones')
  }
  return text.includes('"counters"')
    ? ok(`${cluster}, whose GameServers have counters and lists`)
    : warning(`${cluster}, whose GameServers have no counters and lists`, 'update the platform to 1.37 or later')
}

async function checkRights(): Promise<Finding> {
  const answer = await kubectl('auth', 'can-i', 'patch', 'gameservers.agones.dev', '--as', ACCOUNT)
  if (answer === undefined) return skipped('this user may not ask for the rights of the SDK’s service account')
  return answer.trim() === 'yes'
    ? ok('the sidecar’s service account may write GameServers in namespace default')
    : failure(
        'the sidecar’s service account agones-sdk may not write GameServers in namespace default',
        'add default to gameservers.namespaces of the platform’s chart, or use one of the namespaces there',
      )
}

async function checkClusterHealth(): Promise<Finding> {
  const text = await kubectl('get', 'gameservers.agones.dev', '-A', '-o', 'json')
  if (text === undefined) return skipped('this user may not list GameServers')
  const items: readonly unknown[] = [parseObject(text)?.['items'] ?? []].flat()
  const namesOf = (isMeant: (item: unknown) => boolean): string[] =>
    items.filter(isMeant).map((item) => {
      const { name } = at(item, 'metadata')
      return typeof name === 'string' ? name : 'one without a name'
    })
  const bad = namesOf((item) => ['Unhealthy', 'Error'].includes(at(item, 'status')['state'] as string))
  if (bad.length > 0) {
    return warning(`Unhealthy or in Error: ${bad.slice(0, 5).join(', ')}`, `kubectl describe gameserver ${bad[0]}`)
  }
  const off = namesOf((item) => at(item, 'spec', 'health')['disabled'] === true)
  return off.length > 0
    ? warning(`health checks are off in ${off.slice(0, 5).join(', ')}`, 'set spec.health.disabled to false')
    : ok(`${items.length} GameServers, none Unhealthy, none without health checks`)
}

export const clusterChecks: readonly Check[] = [
  { id: 'cluster', group: 'Cluster', run: withCluster(checkPlatform) },
  { id: 'cluster-rights', group: 'Cluster', run: withCluster(checkRights) },
  { id: 'cluster-health', group: 'Cluster', run: withCluster(checkClusterHealth) },
]
