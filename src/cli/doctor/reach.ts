import { parseObject } from '../../client/answers.js'
import { isLoopback } from '../../node/http/address.js'
import { failure, needing, ok, skipped, warning } from './check.js'
import type { Check, Finding } from './check.js'
import { at } from './patient.js'
import type { Patient } from './patient.js'
import { ask } from '../ask.js'
import type { Answer, Question } from '../ask.js'

const SLOW_MS = 100
const START = 'gameserver-sidecar local, or kubectl port-forward to a pod, or give --url'
const SERVE = 'gameserver-sidecar serve <build>'

const send = ({ url, patience }: Patient, path: string, question: Omit<Question, 'patience'> = {}): Promise<Answer> =>
  ask(`${url}${path}`, { ...question, patience })

async function checkListener({ url, listener }: Patient): Promise<Finding> {
  const found = await listener()
  switch (found.kind) {
    case 'none':
      return failure(`nothing answers HTTP at ${url}: ${found.reason}`, `start a sidecar (${START})`)
    case 'ours': {
      const { mode } = at(found.state)
      return ok(`a local sidecar of this package listens${typeof mode === 'string' ? `, in ${mode} mode` : ''}`)
    }
    case 'real':
      return ok('a real sidecar listens, or a way to one')
    case 'other':
      return failure(
        `something else listens at ${url}: GET /gameserver gave ${found.what}`,
        'find the right port: AGONES_SDK_HTTP_PORT is 9358 by default; behind serve it is http://<host>/_/sidecar',
      )
  }
}

async function checkGameServer({ status, text }: Answer, { gameServer }: Patient): Promise<Finding> {
  if ((await gameServer()) !== undefined) return ok('GET /gameserver gives a GameServer')
  const { message } = parseObject(text) ?? {}
  return failure(
    `GET /gameserver gives ${status} ${typeof message === 'string' ? message : 'and no GameServer'}`,
    status === 500
      ? 'the GameServer is gone: start the sidecar (or the pod) again'
      : 'check the port and the path of --url',
  )
}

/** The quickest of three counts: the first also pays for what both sides load when they are first used. */
async function checkSpeed(read: Answer, patient: Patient): Promise<Finding> {
  let { ms } = read
  for (let more = 0; more < 2 && ms > SLOW_MS; more += 1) ms = Math.min(ms, (await send(patient, '/gameserver')).ms)
  const took = `GET /gameserver took ${Math.round(ms)} ms`
  return ms <= SLOW_MS
    ? ok(took)
    : warning(
        `${took}, which is slow beside the ${SLOW_MS} ms that a sidecar on the same machine needs at most`,
        isLoopback(new URL(patient.url).hostname)
          ? 'look for a fault that is set (see Watch), a busy machine, or a port-forward'
          : 'run the game beside its sidecar',
      )
}

async function checkBeat(_: Answer, patient: Patient): Promise<Finding> {
  const headers = { 'content-type': 'application/json' }
  const { status, problem } = await send(patient, '/health', { method: 'POST', headers, body: '{}' })
  return status === 200
    ? ok('POST /health takes a beat (this was one)')
    : failure(
        `POST /health with {} gives ${problem ?? status}; a game that beats like this becomes Unhealthy`,
        'see whether a gateway denies health, and whether the port is the one of HTTP',
      )
}

async function checkOrigin(_: Answer, patient: Patient): Promise<Finding> {
  const { origin, url } = patient
  if (origin === undefined) return skipped('no page is named; give its origin, such as --origin http://localhost:5173')
  if (origin === new URL(url).origin) return ok('the page has the same origin as the sidecar')
  const { status, headers } = await send(patient, '/gameserver', { headers: { origin } })
  const allowed = String(headers['access-control-allow-origin'] ?? '')
  if (allowed !== '*' && allowed !== origin) {
    return failure(
      `a page of ${origin} may not read answers: GET gives ${status} without Access-Control-Allow-Origin`,
      `${SERVE} (one origin for both), or for development local --allow-origin ${origin}`,
    )
  }
  const preflight = await send(patient, '/metadata/label', {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' },
  })
  const methods = String(preflight.headers['access-control-allow-methods'] ?? '')
  return preflight.status < 300 && /PUT|\*/.test(methods)
    ? ok(`a page of ${origin} gets through`)
    : failure(
        `a page of ${origin} may read, but not write: the preflight of PUT gives ${preflight.status}`,
        'let the server in front answer OPTIONS with Access-Control-Allow-Methods: GET, POST, PUT, PATCH',
      )
}

/** What browsers themselves keep from a page, whatever the sidecar answers. */
function checkBrowser({ origin, url }: Patient): Finding {
  if (origin === undefined) return skipped('no page is named; give its origin, such as --origin http://localhost:5173')
  const isHere = isLoopback(new URL(url).hostname)
  if (origin.startsWith('https:') && url.startsWith('http:') && !isHere) {
    return failure(
      `browsers block calls from ${origin} to ${url}: mixed content`,
      `${SERVE} --cert <file> --key <file>`,
    )
  }
  return isHere && !isLoopback(new URL(origin).hostname)
    ? warning(
        `browsers ask the person whether ${origin} may reach this machine (Local Network Access), and a headless one refuses`,
        `serve the page and the sidecar on one origin: ${SERVE}`,
      )
    : ok('page and sidecar are on the same side, so no browser asks for permission')
}

/** A check of what answers; without an answer the first check has said so. */
const whenReached = (run: (read: Answer, patient: Patient) => Promise<Finding>): Check['run'] =>
  needing(
    async ({ read }) => ((await read()).problem === undefined ? await read() : undefined),
    'no sidecar answers',
    run,
  )

export const reachChecks: readonly Check[] = [
  { id: 'listener', group: 'Reach', run: checkListener },
  { id: 'gameserver', group: 'Reach', run: whenReached(checkGameServer) },
  { id: 'speed', group: 'Reach', run: whenReached(checkSpeed) },
  { id: 'beat', group: 'Reach', run: whenReached(checkBeat) },
  { id: 'origin', group: 'Reach', run: whenReached(checkOrigin) },
  { id: 'browser', group: 'Reach', run: checkBrowser },
]
