import { parseObject } from '../../client/request.js'
import { isLoopback } from '../../local/http.js'
import { sidecarsElsewhere } from '../find-sidecar.js'
import { failure, ok, skipped, warning, type Check, type Finding } from './check.js'
import { at, type Subject } from './subject.js'

const START = 'gameserver-sidecar local, or kubectl port-forward to a pod, or give --url'
const NO_ANSWER = 'no sidecar answers'
const SERVE = 'gameserver-sidecar serve <build>'

async function checkListener({ url, listener, gameServer, read }: Subject): Promise<Finding> {
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
async function checkOrigin({ origin, url, read, send }: Subject): Promise<Finding> {
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

export const reachChecks: readonly Check[] = [
  { id: 'listener', group: 'Reach', run: checkListener },
  { id: 'origin', group: 'Reach', run: checkOrigin },
]
