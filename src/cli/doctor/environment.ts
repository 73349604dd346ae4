import { lookup } from 'node:dns/promises'
import { existsSync } from 'node:fs'
import { parseObject } from '../../client/answers.js'
import { isLoopback } from '../../local/http.js'
import { isPort } from '../find-sidecar.js'
import { isLinuxOfWindows } from '../keys.js'
import { failure, needing, ok, skipped, warning } from './check.js'
import type { Check, Finding } from './check.js'
import { at, kubectl } from './patient.js'
import type { Patient } from './patient.js'

function checkPort({ env, url, isUrlGiven }: Patient): Finding {
  const { AGONES_SDK_HTTP_PORT: port = '', AGONES_SDK_GRPC_PORT: grpc } = env
  const asked = new URL(url).port || '80'
  if (grpc === asked) {
    return failure(
      `port ${grpc} is the gRPC port, by AGONES_SDK_GRPC_PORT; the sidecar serves HTTP on another port`,
      'use AGONES_SDK_HTTP_PORT, usually 9358',
    )
  }
  if (port === '') {
    return warning(
      'AGONES_SDK_HTTP_PORT is not set, so a game that is started here finds no sidecar by itself',
      `AGONES_SDK_HTTP_PORT=${asked} before its command, or gameserver-sidecar exec -- <command>`,
    )
  }
  if (!isPort(port)) {
    return failure(
      `AGONES_SDK_HTTP_PORT must be a port from 1 to 65535; got ${JSON.stringify(port)}`,
      'export AGONES_SDK_HTTP_PORT=9358',
    )
  }
  return port === asked || !isUrlGiven
    ? ok(`AGONES_SDK_HTTP_PORT is ${port}`)
    : warning(
        `doctor asks port ${asked}, but a game that is started here connects to AGONES_SDK_HTTP_PORT, ${port}`,
        `export AGONES_SDK_HTTP_PORT=${asked}, if the game should use this sidecar`,
      )
}

function checkHost({ env: { AGONES_SDK_HTTP_HOST: host = '' } }: Patient): Finding {
  if (host === '') return ok('AGONES_SDK_HTTP_HOST is not set, so the client connects to this machine')
  return isLoopback(host)
    ? ok(`AGONES_SDK_HTTP_HOST is ${host}`)
    : warning(
        `AGONES_SDK_HTTP_HOST is ${host}, which is not this machine; a real sidecar listens on localhost only`,
        'unset AGONES_SDK_HTTP_HOST',
      )
}

function checkContainer({ env, url }: Patient): Finding {
  const place = placeOf(env)
  if (place === undefined) return ok('this is no container, so localhost is the machine itself')
  return isLoopback(new URL(url).hostname)
    ? warning(
        `this runs in ${place}, which has a localhost of its own: ${url} reaches nothing outside it`,
        'run game, sidecar and doctor on the same side, or publish the port and start the sidecar with --address 0.0.0.0',
      )
    : ok(`this runs in ${place}, and the sidecar's address is outside it`)
}

function placeOf(env: Patient['env']): string | undefined {
  if (env['CODESPACES'] || env['REMOTE_CONTAINERS']) return 'a dev container'
  if (env['WSL_DISTRO_NAME'] || isLinuxOfWindows()) return 'WSL'
  if (env['KUBERNETES_SERVICE_HOST']) return undefined
  return ['/.dockerenv', '/run/.containerenv'].some((path) => existsSync(path)) ? 'a container' : undefined
}

async function checkLocalhost({ url }: Patient): Promise<Finding> {
  const [first] = await lookup('localhost', { all: true, verbatim: true }).catch(() => [])
  if (first?.family !== 6 || new URL(url).hostname !== 'localhost')
    return ok(`localhost is ${first?.address ?? 'unknown'}`)
  return warning(
    `localhost is ${first.address} first, but a real sidecar listens on IPv4 only: clients that try one address fail`,
    `use ${url.replace('localhost', '127.0.0.1')}`,
  )
}

export const environmentChecks: readonly Check[] = [
  { id: 'port-variable', group: 'Environment', run: checkPort },
  { id: 'host-variable', group: 'Environment', run: checkHost },
  { id: 'container', group: 'Environment', run: checkContainer },
  { id: 'localhost', group: 'Environment', run: checkLocalhost },
]

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
  if (answer === undefined) return skipped('this user may not query the rights of the service account agones-sdk')
  return answer.trim() === 'yes'
    ? ok('the service account agones-sdk may write GameServers in namespace default')
    : failure(
        'the service account agones-sdk may not write GameServers in namespace default',
        'add default to gameservers.namespaces of the platform’s chart, or use a namespace that is listed there',
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
