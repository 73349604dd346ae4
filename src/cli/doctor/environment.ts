import { existsSync } from 'node:fs'
import { isLoopback } from '../../local/http.js'
import { isPort } from '../find-sidecar.js'
import { isLinuxOfWindows } from '../keys.js'
import { failure, ok, warning, type Check, type Finding } from './check.js'
import type { Subject } from './subject.js'

function checkPort({ env, url, isUrlGiven }: Subject): Finding {
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

function checkContainer({ env, url }: Subject): Finding {
  const place = placeOf(env)
  if (place === undefined) return ok('this is no container, so localhost is the machine itself')
  return isLoopback(new URL(url).hostname)
    ? warning(
        `this runs in ${place}, which has a localhost of its own: ${url} reaches nothing outside it`,
        'run game, sidecar and doctor on the same side, or publish the port and start the sidecar with --address 0.0.0.0',
      )
    : ok(`this runs in ${place}, and the sidecar's address is outside it`)
}

function placeOf(env: Subject['env']): string | undefined {
  if (env['CODESPACES'] || env['REMOTE_CONTAINERS']) return 'a dev container'
  if (env['WSL_DISTRO_NAME'] || isLinuxOfWindows()) return 'WSL'
  if (env['KUBERNETES_SERVICE_HOST']) return undefined
  return ['/.dockerenv', '/run/.containerenv'].some((path) => existsSync(path)) ? 'a container' : undefined
}

export const environmentChecks: readonly Check[] = [
  { id: 'port-variable', group: 'Environment', run: checkPort },
  { id: 'container', group: 'Environment', run: checkContainer },
]
