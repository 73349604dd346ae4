import { parseObject } from '../../client/answers.js'
import { failure, healthWarning, needing, ok, skipped, warning } from './check.js'
import type { Check, Finding } from './check.js'
import { at, number } from './patient.js'
import type { Fields, Patient } from './patient.js'
import { ask, reasonOf } from '../ask.js'

const SLOW_MS = 1_000
/** The line at which the real sidecar ends a WebSocket unsent. */
const LINE_LIMIT = 65_536
/** How many periods of beats are looked at. */
const PERIODS = 3
const PATH = '/watch/gameserver'

const whenThere = (run: (gameServer: Fields, patient: Patient) => Finding | Promise<Finding>): Check['run'] =>
  needing(({ gameServer }) => gameServer(), 'there is no GameServer', run)

async function checkStream(_: Fields, { url, patience, read }: Patient): Promise<Finding> {
  const { text, ms } = await ask(`${url}${PATH}`, { patience: Math.max(SLOW_MS, patience), until: '\n' })
  const [line = '', ...rest] = text.split('\n')
  if (rest.length > 0 && ms <= SLOW_MS && parseObject(line)?.['result'] !== undefined) {
    return ok(`the stream gives the GameServer after ${Math.round(ms)} ms`)
  }
  const { headers } = await read()
  const via = [headers['via'], headers['server']].filter((one) => one !== undefined).map(String)
  const proxy = via.length === 0 ? 'a proxy in front' : `what is in front (${via.join(', ')})`
  return failure(
    rest.length === 0
      ? 'the stream of the watch gives nothing'
      : `the stream's first line took ${Math.round(ms)} ms, or is no GameServer`,
    `see whether watches are stalled by a fault, and let ${proxy} pass answers on unbuffered (nginx: proxy_buffering off)`,
  )
}

async function checkWebSocket(_: Fields, { url, patience }: Patient): Promise<Finding> {
  const found = await firstFrame(`${url.replace(/^http/, 'ws')}${PATH}`, Math.max(SLOW_MS, patience))
  if (typeof found === 'string') {
    return warning(
      `the WebSocket gives nothing (${found}); this package's client falls back to the HTTP stream, others wait for ever`,
      'platform 1.50 to 1.52 has this fault: update it; else let what is in front pass upgrades on',
    )
  }
  const took = `after ${Math.round(found)} ms`
  return found <= SLOW_MS
    ? ok(`the WebSocket gives the GameServer ${took}`)
    : warning(`the WebSocket's first frame came ${took}`, 'look for a fault that is set, or a busy machine')
}

async function firstFrame(url: string, patience: number): Promise<number | string> {
  const { WebSocket } = await import('ws')
  const began = performance.now()
  return new Promise((resolve) => {
    const socket = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: patience })
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

async function checkSize(gameServer: Fields, { read }: Patient): Promise<Finding> {
  const bytes = Buffer.byteLength((await read()).text)
  const size = `the GameServer has ${bytes} bytes as JSON`
  if (bytes < LINE_LIMIT * 0.75) return ok(`${size}, of ${LINE_LIMIT} that a WebSocket takes`)
  const largest = Object.entries(at(gameServer, 'object_meta', 'annotations'))
    .map(([key, value]) => ({ key, bytes: typeof value === 'string' ? Buffer.byteLength(value) : 0 }))
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, 3)
    .map((one) => `${one.key} (${one.bytes})`)
  const fix = `make annotations smaller or move them elsewhere; the largest: ${largest.join(', ')}`
  return bytes < LINE_LIMIT
    ? warning(`${size}; at ${LINE_LIMIT} no WebSocket gets it any more`, fix)
    : failure(`${size}: over ${LINE_LIMIT} the sidecar ends each WebSocket with nothing sent, again and again`, fix)
}

const isOn = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value))

/** Faults by the fields of the state, in words. */
const FAULTS: readonly (readonly [field: string, text: string])[] = [
  ['delays', 'calls are delayed'],
  ['failures', 'calls fail'],
  ['watchersStalled', 'watches are stalled'],
  ['watchersDropped', 'watches are cut again and again'],
  ['ignoreBeats', 'beats are ignored'],
  ['apiServerAway', 'the API server is away'],
  ['writesToLose', 'writes are lost'],
  ['padding', 'the object is padded'],
]

async function checkFaults({ state }: Patient): Promise<Finding> {
  const found = await state()
  if (found?.['faults'] === undefined) {
    return skipped('only a local sidecar of this package has faults, and tells of them')
  }
  const faults = at(found, 'faults')
  const set = FAULTS.filter(([field]) => isOn(faults[field])).map(([, text]) => text)
  return set.length === 0
    ? ok('no faults are set')
    : warning(
        `faults are set on purpose: ${set.join(', ')}`,
        'press 0 in the dashboard, or send the control command {"type":"clearFaults"}',
      )
}

function checkState(gameServer: Fields): Finding {
  const state = String(at(gameServer, 'status')['state'])
  const { deletion_timestamp: deletion } = at(gameServer, 'object_meta')
  if (typeof deletion === 'string' && deletion !== '0') {
    return warning(
      `the GameServer is ${state}, and being deleted`,
      'end the game in order; the next one gets a new GameServer',
    )
  }
  if (['Unhealthy', 'Shutdown', 'Error'].includes(state)) {
    const beats = state === 'Unhealthy' ? 'send beats in time (autoHealth), and ' : ''
    return failure(`the GameServer is ${state}, which it stays`, `${beats}start the sidecar or the pod again`)
  }
  return state === 'Reserved'
    ? warning('the GameServer is Reserved', 'it is Ready when its time is over, or by ready()')
    : ok(`the GameServer is ${state}`)
}

function checkHealth(gameServer: Fields): Finding {
  const { disabled, period_seconds: period, failure_threshold: threshold } = at(gameServer, 'spec', 'health')
  const seconds = number(period) ?? 5
  const told = `a beat must come every ${seconds} s; ${number(threshold) ?? 3} misses make it Unhealthy`
  return healthWarning(disabled, seconds) ?? ok(told)
}

function checkVersion(gameServer: Fields, { version }: Patient): Finding {
  const annotations = Object.entries(at(gameServer, 'object_meta', 'annotations'))
  const platform = annotations.find(([key]) => key.endsWith('.dev/sdk-version'))?.[1]
  if (typeof platform !== 'string') return ok(`this package is ${version}; the sidecar doesn't tell its version`)
  const both = `this package is ${version}, the platform ${platform}`
  const [, minor] = /^1\.(\d+)/.exec(platform) ?? []
  // A build of one's own may be called anything.
  return minor === undefined || Number(minor) > 52
    ? ok(both)
    : warning(
        `${both}, whose WebSockets give no frame, or which is older than 1.50`,
        'update the platform to 1.53 or later',
      )
}

/** The beats of the last three periods, from the log: nobody has to wait for new ones. */
async function checkBeats({ state, log }: Patient): Promise<Finding> {
  const found = await state()
  const { disabled, periodSeconds, lastBeat } = at(found, 'health')
  const [now, seconds] = [number(found?.['now']), number(periodSeconds)]
  if (now === undefined || seconds === undefined) {
    return skipped('this sidecar tells nothing of the beats it gets; in a cluster see kubectl describe gameserver')
  }
  if (disabled === true) return skipped('health checks are off')
  const period = seconds * 1000
  const beats = (await log())
    .filter((entry) => at(entry, 'event', 'call')['operation'] === 'health')
    .map((entry) => number(at(entry)['at']) ?? 0)
    // What this doctor has sent itself came after the state was read.
    .filter((time) => time <= now && time > now - PERIODS * period)
  if (beats.length === 0) {
    const last = number(lastBeat)
    return last === undefined
      ? warning('no beat has come yet', 'start the game; its client needs autoHealth: true, or calls health()')
      : failure(
          `no beat for ${Math.round((now - last) / 1000)} s; one must come every ${seconds} s`,
          'see whether the game runs, and whether its tab is hidden or its process hangs',
        )
  }
  const times = [...beats, now]
  const worst = Math.max(...beats.map((time, index) => times[index + 1]! - time))
  const many = `${beats.length} beat${beats.length === 1 ? '' : 's'}`
  const told = `${many} in the last ${(PERIODS * period) / 1000} s, worst gap ${(worst / 1000).toFixed(1)} s`
  if (worst > period) {
    return failure(
      `${told}, longer than the period of ${seconds} s`,
      'a hidden tab slows its timers down to one a minute: let the client beat from a worker (autoHealth, the default), or host the page with gameserver-sidecar host',
    )
  }
  return worst > period * 0.75
    ? warning(`${told}, close to the period of ${seconds} s`, 'beat at half the period, as autoHealth does')
    : ok(told)
}

export const gameServerChecks: readonly Check[] = [
  { id: 'stream', group: 'Watch', run: whenThere(checkStream) },
  { id: 'websocket', group: 'Watch', run: whenThere(checkWebSocket) },
  { id: 'size', group: 'Watch', run: whenThere(checkSize) },
  { id: 'faults', group: 'Watch', run: checkFaults },
  { id: 'state', group: 'GameServer', run: whenThere(checkState) },
  { id: 'health', group: 'GameServer', run: whenThere(checkHealth) },
  { id: 'version', group: 'GameServer', run: whenThere(checkVersion) },
  { id: 'beats', group: 'Beats', run: checkBeats },
]
