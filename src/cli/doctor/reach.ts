import { parseObject } from '../../client/answers.js'
import { failure, ok, skipped, warning } from './check.js'
import type { Check, Finding, Patient } from './check.js'
import { ask, dial } from './probe.js'
import type { Answer, Question } from './probe.js'

const SLOW_MS = 100
const JSON_BODY = { 'content-type': 'application/json' }
const START = 'gameserver-sidecar local, or kubectl port-forward to a pod, or give --url'

export const isLoopbackHost = (host: string): boolean => /^(localhost|127\.[\d.]+|\[?::1\]?)$/.test(host)

const silent = skipped('no sidecar answers')

/** A check of what answers; without an answer the first check has said so. */
const whenReached =
  (run: (patient: Patient) => Finding | Promise<Finding>) =>
  async (patient: Patient): Promise<Finding> =>
    (await patient.listener()).kind === 'none' ? silent : run(patient)

const send = ({ url, patience }: Patient, path: string, question: Omit<Question, 'patience'> = {}): Promise<Answer> =>
  ask(`${url}${path}`, { ...question, patience })

const portOf = (url: string): number => {
  const { port, protocol } = new URL(url)
  return Number(port) || (protocol === 'https:' ? 443 : 80)
}

async function checkTcp({ url, patience }: Patient): Promise<Finding> {
  const { hostname } = new URL(url)
  const host = isLoopbackHost(hostname) && hostname !== '[::1]' ? '127.0.0.1' : hostname.replace(/^\[|\]$/g, '')
  const problem = await dial(host, portOf(url), patience)
  return problem === undefined
    ? ok(`${host} port ${portOf(url)} takes connections`)
    : failure(`${host} port ${portOf(url)} takes no connection: ${problem}`, `start a sidecar there (${START})`)
}

async function checkTcp6({ url, patience }: Patient): Promise<Finding> {
  const { hostname, protocol, pathname } = new URL(url)
  if (!isLoopbackHost(hostname)) return skipped('the sidecar is not on this machine')
  const port = portOf(url)
  if ((await dial('::1', port, patience)) !== undefined)
    return ok(`[::1] port ${port} is free, as beside a real sidecar`)
  const answer = await ask(`${protocol}//[::1]:${port}${pathname.replace(/\/$/, '')}/gameserver`, { patience })
  return answer.status === 200
    ? ok(`[::1] port ${port} is answered by a sidecar, too`)
    : warning(
        `[::1] port ${port} belongs to another program, which a client of localhost may reach instead of the sidecar`,
        `end that program, or use http://127.0.0.1:${port}`,
      )
}

async function checkListener({ url, listener }: Patient): Promise<Finding> {
  const found = await listener()
  switch (found.kind) {
    case 'none':
      return failure(`nothing answers HTTP at ${url}: ${found.reason}`, `start a sidecar (${START})`)
    case 'ours':
      return ok(
        `a local sidecar of this package listens${found.state?.mode === undefined ? '' : `, in ${found.state.mode} mode`}`,
      )
    case 'real':
      return ok('a real sidecar listens, or a way to one')
    case 'other':
      return failure(
        `something else listens at ${url}: GET /gameserver gave ${found.what}`,
        'find the right port: AGONES_SDK_HTTP_PORT is 9358 by default; behind serve it is http://<host>/_/sidecar',
      )
  }
}

async function checkGameServer({ read, gameServer }: Patient): Promise<Finding> {
  const { status, text } = await read()
  const found = await gameServer()
  if (found !== undefined) return ok(`GET /gameserver gives ${found.name}, ${found.state}`)
  const { message } = parseObject(text) ?? {}
  return failure(
    `GET /gameserver gives ${status} ${typeof message === 'string' ? message : 'and no GameServer'}`,
    status === 500
      ? 'the GameServer is gone: start the sidecar (or the pod) again'
      : 'check the port and the path of --url',
  )
}

/** The quickest of three counts: the first also pays for what both sides load when they are first used. */
async function checkSpeed(patient: Patient): Promise<Finding> {
  const { url } = patient
  let ms = (await patient.read()).ms
  for (let more = 0; more < 2 && ms > SLOW_MS; more += 1) ms = Math.min(ms, (await send(patient, '/gameserver')).ms)
  const took = `GET /gameserver took ${Math.round(ms)} ms`
  return ms <= SLOW_MS
    ? ok(took)
    : warning(
        `${took}, which is slow beside the ${SLOW_MS} ms that a sidecar on the same machine needs at most`,
        isLoopbackHost(new URL(url).hostname)
          ? 'look for a fault that is set (see Watch), a busy machine, or a port-forward'
          : 'run the game beside its sidecar',
      )
}

async function checkBeat(patient: Patient): Promise<Finding> {
  const { status, problem } = await send(patient, '/health', { method: 'POST', headers: JSON_BODY, body: '{}' })
  return status === 200
    ? ok('POST /health takes a beat (this was one)')
    : failure(
        `POST /health with {} gives ${problem ?? status}; a game that beats like this becomes Unhealthy`,
        'see whether a gateway denies health, and whether the port is the one of HTTP',
      )
}

async function checkEmptyBeat(patient: Patient): Promise<Finding> {
  const { status, problem } = await send(patient, '/health', { method: 'POST', headers: { 'content-length': '0' } })
  return status === 400
    ? ok('POST /health without a body is refused (400), as it must be')
    : warning(
        `POST /health without a body gives ${problem ?? status}; a real sidecar refuses it with 400 and counts no beat`,
        'always send {} as the body; what answers here is no sidecar of the platform, or fills the body in',
      )
}

async function checkUnknownPath(patient: Patient): Promise<Finding> {
  const { status, text, problem } = await send(patient, '/gameserver-sidecar-doctor')
  return status === 404 && parseObject(text) !== undefined
    ? ok('an unknown path gives 404 as JSON')
    : warning(
        `an unknown path gives ${problem ?? `${status} ${parseObject(text) ? '' : 'that is no JSON'}`.trim()} instead of 404 as JSON`,
        'something in front answers for the sidecar, such as the fallback of a single-page app: check the path of --url',
      )
}

async function checkOrigin(patient: Patient): Promise<Finding> {
  const { origin, url } = patient
  if (origin === undefined) return skipped('no page is named; give its origin, such as --origin http://localhost:5173')
  if (origin === new URL(url).origin) return ok('the page has the same origin as the sidecar')
  const { status, headers } = await send(patient, '/gameserver', { headers: { origin } })
  const allowed = String(headers['access-control-allow-origin'] ?? '')
  if (allowed !== '*' && allowed !== origin) {
    return failure(
      `a page of ${origin} may not read answers: GET gives ${status} without Access-Control-Allow-Origin`,
      `gameserver-sidecar serve <build> (one origin for both), or for development local --allow-origin ${origin}`,
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

/** Chrome asks the person before a public page may reach this machine or its network. */
function checkLocalNetwork({ origin, url }: Patient): Finding {
  if (origin === undefined) return skipped('no page is named by --origin')
  const isPublic = !isLoopbackHost(new URL(origin).hostname)
  return isPublic && isLoopbackHost(new URL(url).hostname)
    ? warning(
        `browsers ask the person whether ${origin} may reach this machine (Local Network Access), and a headless one refuses`,
        'serve the page and the sidecar on one origin: gameserver-sidecar serve <build>',
      )
    : ok('page and sidecar are on the same side, so no browser asks for permission')
}

function checkMixedContent({ origin, url }: Patient): Finding {
  if (origin === undefined) return skipped('no page is named by --origin')
  if (!origin.startsWith('https:') || !url.startsWith('http:')) return ok('no https page calls an http address')
  return isLoopbackHost(new URL(url).hostname)
    ? warning(
        'an https page calls http on this machine: Chrome and Firefox allow it, Safari blocks it as mixed content',
        'gameserver-sidecar serve <build> --cert <file> --key <file>',
      )
    : failure(
        `browsers block calls from ${origin} to ${url}: mixed content`,
        'gameserver-sidecar serve <build> --cert <file> --key <file>',
      )
}

export const reachChecks: readonly Check[] = [
  { id: 'tcp', group: 'Reach', run: checkTcp },
  { id: 'tcp-ipv6', group: 'Reach', run: checkTcp6 },
  { id: 'listener', group: 'Reach', run: checkListener },
  { id: 'gameserver', group: 'Reach', run: whenReached(checkGameServer) },
  { id: 'speed', group: 'Reach', run: whenReached(checkSpeed) },
  { id: 'beat', group: 'Reach', run: whenReached(checkBeat) },
  { id: 'empty-beat', group: 'Reach', run: whenReached(checkEmptyBeat) },
  { id: 'unknown-path', group: 'Reach', run: whenReached(checkUnknownPath) },
  { id: 'origin', group: 'Reach', run: whenReached(checkOrigin) },
  { id: 'local-network', group: 'Reach', run: checkLocalNetwork },
  { id: 'mixed-content', group: 'Reach', run: checkMixedContent },
]
