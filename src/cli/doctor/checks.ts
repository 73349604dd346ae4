import { existsSync } from 'node:fs'
import { parseObject } from '../../client/request.js'
import { findInFile, isKnown, parseGameServer, readText } from '../../local/files.js'
import { isLoopback } from '../../local/http.js'
import { clusterMistakes } from '../../platform/schema.js'
import { toolAgent } from '../../protocol/tool-agent.js'
import { reasonOf } from '../ask.js'
import { isPort } from '../sidecar-address.js'
import { at, failure, ok, skipped, warning, type Fields, type Finding, type Subject } from './subject.js'

const SLOW_MS = 1_000
/** The real sidecar closes a WebSocket instead of sending a line of this many bytes. */
const LINE_LIMIT = 65_536
/** How many health periods `beats` looks back. */
const PERIODS = 3
/** The oldest minor release of the platform for which this package is tested. */
const OLDEST = 54
const PATH = '/watch/gameserver'
const SERVE = 'gameserver-sidecar serve <build>'

type Found = Finding | readonly Finding[] | Promise<Finding | readonly Finding[]>

/** What doctor looks at, in the order of the report. */
export interface Check {
  /** For `--json`. */
  readonly id: string
  readonly group: 'Environment' | 'Reach' | 'Watch' | 'GameServer' | 'File'
  readonly run: (subject: Subject) => Found
}

/** A check that is skipped where there is no GameServer. */
const whenThere =
  (run: (gameServer: Fields, subject: Subject) => Finding | Promise<Finding>): Check['run'] =>
  async (subject) => {
    const found = await subject.gameServer()
    return found === undefined ? skipped('there is no GameServer') : run(found, subject)
  }

export const checks: readonly Check[] = [
  { id: 'port-variable', group: 'Environment', run: checkPort },
  { id: 'container', group: 'Environment', run: checkContainer },
  { id: 'listener', group: 'Reach', run: checkListener },
  { id: 'origin', group: 'Reach', run: checkOrigin },
  { id: 'stream', group: 'Watch', run: whenThere(checkStream) },
  { id: 'websocket', group: 'Watch', run: whenThere(checkWebSocket) },
  { id: 'size', group: 'Watch', run: whenThere(checkSize) },
  { id: 'faults', group: 'Watch', run: checkFaults },
  { id: 'state', group: 'GameServer', run: whenThere(checkState) },
  { id: 'version', group: 'GameServer', run: whenThere(checkVersion) },
  { id: 'beats', group: 'GameServer', run: checkBeats },
  { id: 'file', group: 'File', run: checkFile },
]

function checkPort({ env, url }: Subject): Finding {
  const { AGONES_SDK_HTTP_PORT: port = '' } = env
  const asked = new URL(url).port || '80'
  if (port === asked) return ok(`AGONES_SDK_HTTP_PORT is ${port}`)
  if (port === '') {
    return warning(
      'AGONES_SDK_HTTP_PORT is not set, so a game that is started here finds no sidecar by itself',
      `AGONES_SDK_HTTP_PORT=${asked} before its command, or gameserver-sidecar exec -- <command>`,
    )
  }
  return isPort(port)
    ? warning(
        `doctor asks port ${asked}, but a game that is started here connects to AGONES_SDK_HTTP_PORT, ${port}`,
        `export AGONES_SDK_HTTP_PORT=${asked}, if the game should use this sidecar`,
      )
    : failure(
        `AGONES_SDK_HTTP_PORT must be a port from 1 to 65535; got ${JSON.stringify(port)}`,
        `export AGONES_SDK_HTTP_PORT=${asked}`,
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
  if (env['WSL_DISTRO_NAME']) return 'WSL'
  if (env['KUBERNETES_SERVICE_HOST']) return undefined
  return ['/.dockerenv', '/run/.containerenv'].some((path) => existsSync(path)) ? 'a container' : undefined
}

async function checkListener({ url, gameServer, read, state }: Subject): Promise<Finding> {
  const { status, text, headers, problem } = await read()
  if (problem !== undefined) {
    const start = 'gameserver-sidecar local, or kubectl port-forward to a pod, or give --url'
    return failure(`nothing answers HTTP at ${url}: ${problem}`, `start a sidecar (${start})`)
  }
  const own = await state()
  const { code, message } = parseObject(text) ?? {}
  if ((await gameServer()) !== undefined || own === 'token') {
    const { mode } = at(own)
    if (own === undefined) return ok('a real sidecar listens, or a proxy in front of one')
    return ok(`a local sidecar of this package listens${typeof mode === 'string' ? `, in ${mode} mode` : ''}`)
  }
  // The sidecar's own errors have a status of gRPC in `code`.
  if (own !== undefined || (status >= 400 && typeof code === 'number')) {
    return failure(
      `GET /gameserver gives ${status} ${typeof message === 'string' ? message : 'and no GameServer'}`,
      status === 500
        ? 'the GameServer is gone: start the sidecar (or the pod) again'
        : 'check the port and the path of --url',
    )
  }
  const server = headers['server'] ?? headers['content-type']
  return failure(
    `something else listens at ${url}: GET /gameserver gave status ${status}${server === undefined ? '' : `, ${String(server)}`}`,
    'find the right port: AGONES_SDK_HTTP_PORT is 9358 by default; behind serve it is http://<host>/_/sidecar',
  )
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
  if ((await read()).problem !== undefined) return skipped('no sidecar answers')
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

async function checkStream(_: Fields, { patience, send }: Subject): Promise<Finding> {
  const { text, ms } = await send(PATH, { patience: Math.max(SLOW_MS, patience), until: '\n' })
  const [line = '', ...rest] = text.split('\n')
  if (rest.length > 0 && ms <= SLOW_MS && parseObject(line)?.['result'] !== undefined) {
    return ok(`the stream gives the GameServer after ${Math.round(ms)} ms`)
  }
  return failure(
    rest.length === 0
      ? 'the stream of the watch gives nothing'
      : `the stream's first line took ${Math.round(ms)} ms, or is no GameServer`,
    'clear faults that stall watches, and let a proxy in front pass answers on unbuffered (nginx: proxy_buffering off)',
  )
}

async function checkWebSocket(_: Fields, { url, patience }: Subject): Promise<Finding> {
  const found = await firstFrame(`${url.replace(/^http/, 'ws')}${PATH}`, Math.max(SLOW_MS, patience))
  if (typeof found === 'string') {
    return warning(
      `the WebSocket gives nothing (${found}); this package's client falls back to the HTTP stream, others wait forever`,
      'let the proxy in front pass upgrades on',
    )
  }
  const took = `after ${Math.round(found)} ms`
  return found <= SLOW_MS
    ? ok(`the WebSocket gives the GameServer ${took}`)
    : warning(`the WebSocket's first frame came ${took}`, 'clear faults that are set, or look for a busy machine')
}

/** ms until the first frame, or why none came. */
async function firstFrame(url: string, patience: number): Promise<number | string> {
  const { WebSocket } = await import('ws')
  const began = performance.now()
  return new Promise((resolve) => {
    const headers = { 'user-agent': toolAgent('doctor') }
    const socket = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: patience, headers })
    const finish = (result: number | string): void => {
      clearTimeout(timer)
      socket.terminate()
      resolve(result)
    }
    const timer = setTimeout(() => finish(`no frame within ${patience / 1000} s`), patience)
    socket.once('message', () => finish(performance.now() - began))
    socket.once('close', () => finish('it was closed before the first frame'))
    socket.on('error', (error) => finish(reasonOf(error)))
  })
}

async function checkSize(gameServer: Fields, { read }: Subject): Promise<Finding> {
  const bytes = Buffer.byteLength((await read()).text)
  const size = `the GameServer has ${bytes} bytes as JSON`
  if (bytes < LINE_LIMIT * 0.75) return ok(`${size}, of ${LINE_LIMIT} that a WebSocket takes`)
  const largest = Object.entries(at(gameServer, 'object_meta', 'annotations'))
    .map(([key, value]) => ({ key, bytes: Buffer.byteLength(String(value)) }))
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, 3)
    .map((one) => `${one.key} (${one.bytes})`)
  const fix = `make annotations smaller or move them elsewhere; the largest: ${largest.join(', ')}`
  return bytes < LINE_LIMIT
    ? warning(`${size}; from ${LINE_LIMIT} on, no WebSocket receives it`, fix)
    : failure(`${size}: over ${LINE_LIMIT} the sidecar closes each WebSocket with nothing sent`, fix)
}

/** The fields of a local sidecar's state that hold faults. */
const FAULTS: Readonly<Record<string, string>> = {
  delays: 'calls are delayed',
  failures: 'calls fail',
  watchersStalled: 'watches are stalled',
  ignoreBeats: 'beats are ignored',
  apiServerAway: 'the API server is away',
  writesToLose: 'writes are lost',
  padding: 'the object is padded',
}

async function checkFaults({ state }: Subject): Promise<Finding> {
  const faults = at(await state())['faults']
  if (faults === undefined) return skipped('only a local sidecar of this package has faults to set')
  const isSet = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value))
  const set = Object.keys(FAULTS).filter((field) => isSet(at(faults)[field]))
  return set.length === 0
    ? ok('no faults are set')
    : warning(
        `faults are set on purpose: ${set.map((field) => FAULTS[field]).join(', ')}`,
        'press 0 in the dashboard, or send the control command {"type":"clearFaults"}',
      )
}

async function checkState(gameServer: Fields, { log }: Subject): Promise<Finding> {
  const state = String(at(gameServer, 'status')['state'])
  const { deletion_timestamp: deletion } = at(gameServer, 'object_meta')
  if (typeof deletion === 'string' && deletion !== '0') {
    return warning(`the GameServer is ${state}, and being deleted`, 'end the game; its successor gets a new GameServer')
  }
  if (['Unhealthy', 'Shutdown', 'Error'].includes(state)) {
    const beats = state === 'Unhealthy' ? 'send beats in time (autoHealth), and ' : ''
    return failure(`the GameServer is ${state}, which is final`, `${beats}start the sidecar or the pod again`)
  }
  return state === 'Scheduled' && beatsOf(await log()).length > 0
    ? warning('the GameServer is Scheduled, though beats come: no game has called ready()', 'call ready() once')
    : ok(`the GameServer is ${state}`)
}

function checkVersion(gameServer: Fields, { version }: Subject): Finding {
  const annotations = Object.entries(at(gameServer, 'object_meta', 'annotations'))
  const platform = annotations.find(([key]) => key.endsWith('.dev/sdk-version'))?.[1]
  if (typeof platform !== 'string') return ok(`this package is ${version}; the sidecar doesn't report its version`)
  const both = `this package is ${version}, the platform ${platform}`
  const [, minor] = /^1\.(\d+)/.exec(platform) ?? []
  // A custom build may have any version.
  return minor === undefined || Number(minor) >= OLDEST
    ? ok(both)
    : warning(`${both}, which is older than 1.${OLDEST}`, `update the platform to 1.${OLDEST} or later`)
}

interface Beat {
  readonly at: number
  readonly client: string
}

/** The beats of games in the event log. */
const beatsOf = (log: readonly unknown[]): Beat[] =>
  log
    .filter((entry) => at(entry, 'event', 'call')['operation'] === 'health' && at(entry, 'event')['tool'] !== true)
    .map((entry) => at(entry))
    .map(({ at: time, client }) => ({ at: Number(time), client: String(client) }))

/** Reads the beats of the last three periods from the log, so that doctor needn't wait for new ones. */
async function checkBeats({ state, log }: Subject): Promise<Finding> {
  const found = at(await state())
  const { disabled, periodSeconds, lastBeat } = at(found, 'health')
  const [now, seconds] = [found['now'], periodSeconds]
  if (typeof now !== 'number' || typeof seconds !== 'number') {
    return skipped('this sidecar reports no beats; in a cluster see kubectl describe gameserver')
  }
  if (disabled === true) return skipped('health checks are off')
  const period = seconds * 1000
  const recent = beatsOf(await log()).filter(({ at }) => at <= now && at > now - PERIODS * period)
  if (recent.length === 0) {
    return typeof lastBeat === 'number'
      ? failure(
          `no beat for ${Math.round((now - lastBeat) / 1000)} s; one must come every ${seconds} s`,
          'check whether the game runs, its tab is hidden, or its process hangs',
        )
      : warning('no beat has come yet', 'start the game, with autoHealth: true or calls of health()')
  }
  const times = [...recent.map(({ at }) => at), now]
  const worst = Math.max(...times.slice(1).map((time, index) => time - times[index]!))
  const many = `${recent.length} beat${recent.length === 1 ? '' : 's'}`
  const text = `${many} in the last ${(PERIODS * period) / 1000} s, worst gap ${(worst / 1000).toFixed(1)} s`
  if (worst <= period) return ok(text)
  return failure(
    `${text}, longer than the period of ${seconds} s`,
    recent.some(({ client }) => client.startsWith('page'))
      ? 'a hidden tab runs timers once a minute: beat from a worker (the default of autoHealth), or use gameserver-sidecar host'
      : 'beat at half the period, as autoHealth does; a long computation holds beats up',
  )
}

/** By the rules of the local sidecar, then by those of a cluster. */
async function checkFile({ file }: Subject): Promise<Finding | readonly Finding[]> {
  if (file === undefined) return skipped('no file is named; give --file gameserver.yaml')
  try {
    const text = await readText(file)
    await parseGameServer(file, text)
    const { value, lineOf } = await findInFile(file, text, isKnown)
    const mistakes = clusterMistakes(value as Fields)
    if (mistakes.length === 0) return ok(`${file} is a ${String((value as Fields)['kind'])} that a cluster takes`)
    return mistakes.map(({ path, message, isAdvice }) => {
      const text = `${file}:${lineOf(path)}: ${message}`
      return isAdvice === true
        ? warning(text, 'change it, unless that is meant')
        : failure(text, 'a cluster refuses it')
    })
  } catch (error) {
    return failure((error as Error).message, `fix ${file}, or name another file with --file`)
  }
}
