import { parseObject } from '../../client/answers.js'
import { failure, needing, ok, skipped, warning } from './check.js'
import type { Check, Finding } from './check.js'
import { at, kubectl } from './patient.js'

const ACCOUNT = 'system:serviceaccount:default:agones-sdk'

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
  const bad = items
    .filter((item) => ['Unhealthy', 'Error'].includes(String(at(item, 'status')['state'])))
    .map((item) => String(at(item, 'metadata')['name']))
  return bad.length > 0
    ? warning(`Unhealthy or in Error: ${bad.slice(0, 5).join(', ')}`, `kubectl describe gameserver ${bad[0]}`)
    : ok(`${items.length} GameServers, none Unhealthy`)
}

const withCluster = (run: (version: string) => Promise<Finding>): Check['run'] =>
  needing(async ({ cluster }) => await cluster(), 'kubectl reaches no cluster from here', run)

export const clusterChecks: readonly Check[] = [
  { id: 'cluster', group: 'Cluster', run: withCluster(checkPlatform) },
  { id: 'cluster-rights', group: 'Cluster', run: withCluster(checkRights) },
  { id: 'cluster-health', group: 'Cluster', run: withCluster(checkClusterHealth) },
]
