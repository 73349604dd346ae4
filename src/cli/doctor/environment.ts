import { existsSync } from 'node:fs'
import { parseObject } from '../../client/request.js'
import { isLoopback } from '../../local/http.js'
import { findInFile, isKnown, parseGameServer, readText } from '../../local/files.js'
import { clusterMistakes } from '../../platform/schema.js'
import { isPort, sidecarsElsewhere } from '../find-sidecar.js'
import { isLinuxOfWindows } from '../keys.js'
import { at, failure, ok, skipped, warning, type Fields, type Finding, type Subject } from './subject.js'

export function checkPort({ env, url, isUrlGiven }: Subject): Finding {
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

export function checkContainer({ env, url }: Subject): Finding {
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

const START = 'gameserver-sidecar local, or kubectl port-forward to a pod, or give --url'
const NO_ANSWER = 'no sidecar answers'
const SERVE = 'gameserver-sidecar serve <build>'

export async function checkListener({ url, listener, gameServer, read }: Subject): Promise<Finding> {
  const found = await listener()
  if (found.kind === 'none') {
    const elsewhere = await sidecarsElsewhere(url)
    const fix = elsewhere === undefined ? `start a sidecar (${START})` : `${elsewhere}: give --url`
    return failure(`nothing answers HTTP at ${url}: ${found.reason}`, fix)
  }
  if (found.kind === 'other') {
    return failure(
      `something else listens at ${url}: GET /gameserver gave ${found.what}`,
      'find the right port: AGONES_SDK_HTTP_PORT is 9358 by default; behind serve it is http://<host>/_/sidecar',
    )
  }
  if ((await gameServer()) === undefined) {
    const { status, text } = await read()
    const { message } = parseObject(text) ?? {}
    return failure(
      `GET /gameserver gives ${status} ${typeof message === 'string' ? message : 'and no GameServer'}`,
      status === 500
        ? 'the GameServer is gone: start the sidecar (or the pod) again'
        : 'check the port and the path of --url',
    )
  }
  if (found.kind === 'real') return ok('a real sidecar listens, or a proxy in front of one')
  const { mode } = at(found.state)
  return ok(`a local sidecar of this package listens${typeof mode === 'string' ? `, in ${mode} mode` : ''}`)
}

/** What a browser lets a page of the given origin do. */
export async function checkOrigin({ origin, url, read, send }: Subject): Promise<Finding> {
  const { hostname, origin: own } = new URL(url)
  if (origin === undefined) return skipped('no page is named; give its origin, such as --origin http://localhost:5173')
  if (origin.startsWith('https:') && url.startsWith('http:') && !isLoopback(hostname)) {
    return failure(
      `browsers block calls from ${origin} to ${url}: mixed content`,
      `${SERVE} --cert <file> --key <file>`,
    )
  }
  if ((await read()).problem !== undefined) return skipped(NO_ANSWER)
  if (origin === own) return ok('the page has the same origin as the sidecar')
  const { status, headers } = await send('/gameserver', { headers: { origin } })
  if (!['*', origin].includes(String(headers['access-control-allow-origin']))) {
    return failure(
      `a page of ${origin} may not read answers: GET gives ${status} without Access-Control-Allow-Origin`,
      `${SERVE} (one origin for both), or for development local --allow-origin ${origin}`,
    )
  }
  const preflight = await send('/metadata/label', {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' },
  })
  if (preflight.status >= 300 || !/PUT|\*/.test(String(preflight.headers['access-control-allow-methods'] ?? ''))) {
    return failure(
      `a page of ${origin} may read, but not write: the preflight of PUT gives ${preflight.status}`,
      'let the server in front answer OPTIONS with Access-Control-Allow-Methods: GET, POST, PUT, PATCH',
    )
  }
  return isLoopback(hostname) && !isLoopback(new URL(origin).hostname)
    ? warning(
        `browsers ask whether ${origin} may reach this machine (Local Network Access); a headless browser refuses`,
        `serve the page and the sidecar on one origin: ${SERVE}`,
      )
    : ok(`a page of ${origin} gets through`)
}

/** By the rules of the local sidecar, then by those of a cluster. */
export async function checkFile({ file }: Subject): Promise<Finding | readonly Finding[]> {
  if (file === undefined) return skipped('no file is named; give --file gameserver.yaml')
  try {
    const text = await readText(file)
    await parseGameServer(file, text)
    const { value, lineOf } = await findInFile(file, text, isKnown)
    const mistakes = clusterMistakes(value as Fields)
    if (mistakes.length === 0) return ok(`${file} is a ${String((value as Fields)['kind'])} that a cluster takes`)
    return mistakes.map(({ path, message, isAdvice }) => {
      const told = `${file}:${lineOf(path)}: ${message}`
      return isAdvice === true
        ? warning(told, 'change it, unless that is meant')
        : failure(told, 'a cluster refuses it')
    })
  } catch (error) {
    return failure((error as Error).message, `fix ${file}, or name another file with --file`)
  }
}
