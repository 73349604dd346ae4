import { existsSync, readFileSync } from 'node:fs'
import { lookup } from 'node:dns/promises'
import { failure, ok, skipped, warning } from './check.js'
import type { Check, Finding, Patient } from './check.js'
import { isLoopbackHost } from './reach.js'

const LEAST_NODE = 20
/** More drift than this confuses whoever compares times of a log with those of a cluster. */
const MOST_DRIFT_MS = 2_000

const variable = ({ env }: Patient, name: string): string => env[`AGONES_SDK_${name}`] ?? ''

function checkNode(): Finding {
  const { node } = process.versions
  return Number(node.split('.')[0]) >= LEAST_NODE
    ? ok(`Node ${node}`)
    : failure(`Node ${node} is too old for this package`, `install Node ${LEAST_NODE} or later`)
}

function checkPort(patient: Patient): Finding {
  const port = variable(patient, 'HTTP_PORT')
  if (port === '') {
    return warning(
      'AGONES_SDK_HTTP_PORT is not set, so a game that is started here finds no sidecar by itself',
      `AGONES_SDK_HTTP_PORT=${new URL(patient.url).port || 80} before its command, or gameserver-sidecar exec -- <command>`,
    )
  }
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    return failure(
      `AGONES_SDK_HTTP_PORT must be a port from 1 to 65535; got ${JSON.stringify(port)}`,
      'export AGONES_SDK_HTTP_PORT=9358',
    )
  }
  return ok(`AGONES_SDK_HTTP_PORT is ${port}`)
}

function checkSamePort(patient: Patient): Finding {
  const port = variable(patient, 'HTTP_PORT')
  if (port === '' || !patient.isUrlGiven) return skipped('there is one source of the address only')
  const asked = new URL(patient.url).port || '80'
  return port === asked
    ? ok('--url and AGONES_SDK_HTTP_PORT name the same port')
    : warning(
        `this asks port ${asked}, and a game that is started here connects to ${port}, as AGONES_SDK_HTTP_PORT says`,
        `export AGONES_SDK_HTTP_PORT=${asked}, if the game is to use this sidecar`,
      )
}

function checkGrpcPort(patient: Patient): Finding {
  const grpc = variable(patient, 'GRPC_PORT')
  if (grpc === '') return skipped('AGONES_SDK_GRPC_PORT is not set')
  return grpc === (new URL(patient.url).port || '80')
    ? failure(
        `port ${grpc} is that of gRPC, by AGONES_SDK_GRPC_PORT; HTTP has one of its own`,
        'use AGONES_SDK_HTTP_PORT, usually 9358',
      )
    : ok(`gRPC has a port of its own, ${grpc}`)
}

function checkHost(patient: Patient): Finding {
  const host = variable(patient, 'HTTP_HOST')
  if (host === '') return ok('AGONES_SDK_HTTP_HOST is not set, so the client takes this machine')
  return isLoopbackHost(host)
    ? ok(`AGONES_SDK_HTTP_HOST is ${host}`)
    : warning(
        `AGONES_SDK_HTTP_HOST is ${host}, which is not this machine; a real sidecar listens on localhost only`,
        'unset AGONES_SDK_HTTP_HOST',
      )
}

/** Node's fetch uses no proxy unless it is told to; curl, and what other languages have, does. */
function checkProxy({ env, url }: Patient): Finding {
  const named = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']
  const name = named.find((one) => (env[one] ?? '') !== '')
  if (name === undefined) return ok('no proxy is set')
  const { hostname } = new URL(url)
  const exceptions = (env['NO_PROXY'] ?? env['no_proxy'] ?? '').split(',').map((one) => one.trim())
  return exceptions.some((one) => one === '*' || one === hostname)
    ? ok(`${name} is set, and NO_PROXY leaves ${hostname} out`)
    : warning(
        `${name} is set and NO_PROXY doesn't name ${hostname}: curl and many clients would ask the proxy for the sidecar`,
        'export NO_PROXY=localhost,127.0.0.1,::1',
      )
}

async function checkClock({ read }: Patient): Promise<Finding> {
  const { headers } = await read()
  const date = Date.parse(String(headers['date']))
  if (Number.isNaN(date)) return skipped('the sidecar tells no time')
  const drift = Date.now() - date
  // The header has whole seconds.
  return Math.abs(drift) < MOST_DRIFT_MS + 1_000
    ? ok('the clocks of this machine and of the sidecar agree')
    : warning(
        `this machine's clock is ${Math.abs(Math.round(drift / 1000))} s ${drift > 0 ? 'ahead of' : 'behind'} the sidecar's`,
        'set it by NTP (in WSL: sudo hwclock -s)',
      )
}

/** Says who reaches whom, which is where most first attempts fail. */
function checkContainer({ env, url }: Patient): Finding {
  const place = placeOf(env)
  if (place === undefined) return ok('this is no container, so localhost is the machine itself')
  return isLoopbackHost(new URL(url).hostname)
    ? warning(
        `this runs in ${place}, whose localhost is its own: a sidecar or a browser outside of it isn't reached by ${url}`,
        'run game, sidecar and doctor on the same side, or publish the port and start the sidecar with --address 0.0.0.0',
      )
    : ok(`this runs in ${place}, and the sidecar's address is one beyond it`)
}

function placeOf(env: Patient['env']): string | undefined {
  if ((env['CODESPACES'] ?? env['REMOTE_CONTAINERS'] ?? '') !== '') return 'a dev container'
  if ((env['WSL_DISTRO_NAME'] ?? '') !== '' || /microsoft/i.test(readIfThere('/proc/version'))) return 'WSL'
  if ((env['KUBERNETES_SERVICE_HOST'] ?? '') !== '') return undefined
  if (existsSync('/.dockerenv') || existsSync('/run/.containerenv')) return 'a container'
  return undefined
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

async function checkLocalhost({ url }: Patient): Promise<Finding> {
  const addresses = await lookup('localhost', { all: true, verbatim: true }).catch(() => [])
  const [first] = addresses
  if (first === undefined)
    return failure('localhost has no address here', 'add "127.0.0.1 localhost" to the hosts file')
  if (first.family === 4) return ok(`localhost is ${first.address}`)
  return new URL(url).hostname === 'localhost'
    ? warning(
        `localhost is ${first.address} first, and a real sidecar listens on IPv4 only: what tries one address fails`,
        `use ${url.replace('localhost', '127.0.0.1')}`,
      )
    : ok(`localhost is ${first.address} first, but the address here is another`)
}

export const environmentChecks: readonly Check[] = [
  { id: 'node', group: 'Environment', run: checkNode },
  { id: 'port-variable', group: 'Environment', run: checkPort },
  { id: 'same-port', group: 'Environment', run: checkSamePort },
  { id: 'grpc-port', group: 'Environment', run: checkGrpcPort },
  { id: 'host-variable', group: 'Environment', run: checkHost },
  { id: 'proxy', group: 'Environment', run: checkProxy },
  { id: 'container', group: 'Environment', run: checkContainer },
  { id: 'localhost', group: 'Environment', run: checkLocalhost },
  { id: 'clock', group: 'Environment', run: checkClock },
]
