import { lookup } from 'node:dns/promises'
import { existsSync, readFileSync } from 'node:fs'
import { parseObject } from '../../client/answers.js'
import { isLoopback } from '../../node/http/address.js'
import { isPort } from '../find-sidecar.js'
import { failure, needing, ok, skipped, warning } from './check.js'
import type { Check, Finding } from './check.js'
import { at, kubectl } from './patient.js'
import type { Patient } from './patient.js'

const variable = ({ env }: Patient, name: string): string => env[`AGONES_SDK_${name}`] ?? ''

const askedPort = ({ url }: Patient): string => new URL(url).port || '80'

function checkPort(patient: Patient): Finding {
  const port = variable(patient, 'HTTP_PORT')
  const asked = askedPort(patient)
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
  return port === asked || !patient.isUrlGiven
    ? ok(`AGONES_SDK_HTTP_PORT is ${port}`)
    : warning(
        `this asks port ${asked}, and a game that is started here connects to ${port}, as AGONES_SDK_HTTP_PORT says`,
        `export AGONES_SDK_HTTP_PORT=${asked}, if the game is to use this sidecar`,
      )
}

function checkGrpcPort(patient: Patient): Finding {
  const grpc = variable(patient, 'GRPC_PORT')
  if (grpc === '') return skipped('AGONES_SDK_GRPC_PORT is not set')
  return grpc === askedPort(patient)
    ? failure(
        `port ${grpc} is that of gRPC, by AGONES_SDK_GRPC_PORT; HTTP has one of its own`,
        'use AGONES_SDK_HTTP_PORT, usually 9358',
      )
    : ok(`gRPC has a port of its own, ${grpc}`)
}

function checkHost(patient: Patient): Finding {
  const host = variable(patient, 'HTTP_HOST')
  if (host === '') return ok('AGONES_SDK_HTTP_HOST is not set, so the client takes this machine')
  return isLoopback(host)
    ? ok(`AGONES_SDK_HTTP_HOST is ${host}`)
    : warning(
        `AGONES_SDK_HTTP_HOST is ${host}, which is not this machine; a real sidecar listens on localhost only`,
        'unset AGONES_SDK_HTTP_HOST',
      )
}

/** Says who reaches whom, which is where most first attempts fail. */
function checkContainer({ env, url }: Patient): Finding {
  const place = placeOf(env)
  if (place === undefined) return ok('this is no container, so localhost is the machine itself')
  return isLoopback(new URL(url).hostname)
    ? warning(
        `this runs in ${place}, whose localhost is its own: a sidecar or a browser outside of it isn't reached by ${url}`,
        'run game, sidecar and doctor on the same side, or publish the port and start the sidecar with --address 0.0.0.0',
      )
    : ok(`this runs in ${place}, and the sidecar's address is one beyond it`)
}

function placeOf(env: Patient['env']): string | undefined {
  const isSet = (name: string): boolean => (env[name] ?? '') !== ''
  if (isSet('CODESPACES') || isSet('REMOTE_CONTAINERS')) return 'a dev container'
  if (isSet('WSL_DISTRO_NAME') || isLinuxOfWindows()) return 'WSL'
  if (isSet('KUBERNETES_SERVICE_HOST')) return undefined
  return ['/.dockerenv', '/run/.containerenv'].some((path) => existsSync(path)) ? 'a container' : undefined
}

function isLinuxOfWindows(): boolean {
  try {
    return /microsoft/i.test(readFileSync('/proc/version', 'utf8'))
  } catch {
    return false
  }
}

async function checkLocalhost({ url }: Patient): Promise<Finding> {
  const [first] = await lookup('localhost', { all: true, verbatim: true }).catch(() => [])
  if (first === undefined) {
    return failure('localhost has no address here', 'add "127.0.0.1 localhost" to the hosts file')
  }
  if (first.family === 4) return ok(`localhost is ${first.address}`)
  return new URL(url).hostname === 'localhost'
    ? warning(
        `localhost is ${first.address} first, and a real sidecar listens on IPv4 only: what tries one address fails`,
        `use ${url.replace('localhost', '127.0.0.1')}`,
      )
    : ok(`localhost is ${first.address} first, but the address here is another`)
}

export const environmentChecks: readonly Check[] = [
  { id: 'port-variable', group: 'Environment', run: checkPort },
  { id: 'grpc-port', group: 'Environment', run: checkGrpcPort },
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
