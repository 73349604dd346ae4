import { parseObject } from '../../client/request.js'
import { toolAgent } from '../../protocol/tool-agent.js'
import { reasonOf } from '../ask.js'
import { at, failure, number, ok, skipped, warning, type Fields, type Finding, type Subject } from './subject.js'

const SLOW_MS = 1_000
/** The real sidecar closes a WebSocket instead of sending a line of this many bytes. */
const LINE_LIMIT = 65_536
/** How many health periods `beats` looks back. */
const PERIODS = 3
/** The oldest minor release of the platform for which this package is tested. */
const OLDEST = 54
const PATH = '/watch/gameserver'

export async function checkStream(_: Fields, { patience, read, send }: Subject): Promise<Finding> {
  const { text, ms } = await send(PATH, { patience: Math.max(SLOW_MS, patience), until: '\n' })
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
    `clear faults that stall watches, and let ${proxy} pass answers on unbuffered (nginx: proxy_buffering off)`,
  )
}

export async function checkWebSocket(_: Fields, { url, patience }: Subject): Promise<Finding> {
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

async function firstFrame(url: string, patience: number): Promise<number | string> {
  const { WebSocket } = await import('ws')
  const began = performance.now()
  return new Promise((resolve) => {
    const socket = new WebSocket(url, {
      ...{ perMessageDeflate: false, handshakeTimeout: patience },
      headers: { 'user-agent': toolAgent('doctor') },
    })
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

export async function checkSize(gameServer: Fields, { read }: Subject): Promise<Finding> {
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
    ? warning(`${size}; from ${LINE_LIMIT} on, no WebSocket receives it`, fix)
    : failure(`${size}: over ${LINE_LIMIT} the sidecar closes each WebSocket with nothing sent`, fix)
}

const isOn = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value))

/** The fields of the state that hold faults. */
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

export async function checkFaults({ state }: Subject): Promise<Finding> {
  const found = await state()
  if (found?.['faults'] === undefined) {
    return skipped('only a local sidecar of this package has faults to set')
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

export async function checkState(gameServer: Fields, { log }: Subject): Promise<Finding> {
  const state = String(at(gameServer, 'status')['state'])
  const { deletion_timestamp: deletion } = at(gameServer, 'object_meta')
  if (typeof deletion === 'string' && deletion !== '0') {
    return warning(`the GameServer is ${state}, and being deleted`, 'end the game; its successor gets a new GameServer')
  }
  if (['Unhealthy', 'Shutdown', 'Error'].includes(state)) {
    const beats = state === 'Unhealthy' ? 'send beats in time (autoHealth), and ' : ''
    return failure(`the GameServer is ${state}, which is final`, `${beats}start the sidecar or the pod again`)
  }
  if (state === 'Scheduled' && beatsOf(await log()).length > 0) {
    return warning('the GameServer is Scheduled, though beats come: no game has called ready()', 'call ready() once')
  }
  return state === 'Reserved'
    ? warning('the GameServer is Reserved', 'it becomes Ready when the reservation expires, or by ready()')
    : ok(`the GameServer is ${state}`)
}

export function checkVersion(gameServer: Fields, { version }: Subject): Finding {
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
    .map((entry) => at(entry) as Partial<Beat>)
    .map(({ at: time, client }) => ({ at: number(time) ?? 0, client: String(client) }))

/** Reads the beats of the last three periods from the log, so that doctor needn't wait for new ones. */
export async function checkBeats({ state, log }: Subject): Promise<Finding> {
  const found = await state()
  const { disabled, periodSeconds, lastBeat } = at(found, 'health')
  const [now, seconds] = [number(found?.['now']), number(periodSeconds)]
  if (now === undefined || seconds === undefined) {
    return skipped('this sidecar reports no beats; in a cluster see kubectl describe gameserver')
  }
  if (disabled === true) return skipped('health checks are off')
  const period = seconds * 1000
  const since = now - PERIODS * period
  const recent = beatsOf(await log()).filter(({ at }) => at <= now && at > since)
  const beats = recent.map(({ at }) => at)
  if (beats.length === 0) {
    const last = number(lastBeat)
    return last === undefined
      ? warning('no beat has come yet', 'start the game, with autoHealth: true or calls of health()')
      : failure(
          `no beat for ${Math.round((now - last) / 1000)} s; one must come every ${seconds} s`,
          'check whether the game runs, its tab is hidden, or its process hangs',
        )
  }
  const times = [...beats, now]
  const worst = Math.max(...beats.map((time, index) => times[index + 1]! - time))
  const many = `${beats.length} beat${beats.length === 1 ? '' : 's'}`
  const told = `${many} in the last ${(PERIODS * period) / 1000} s, worst gap ${(worst / 1000).toFixed(1)} s`
  if (worst > period) {
    return failure(
      `${told}, longer than the period of ${seconds} s`,
      recent.some(({ client }) => client.startsWith('page'))
        ? 'a hidden tab runs timers once a minute: beat from a worker (the default of autoHealth), or use gameserver-sidecar host'
        : 'beat at half the period, as autoHealth does; a long computation holds beats up',
    )
  }
  return worst > period * 0.75
    ? warning(`${told}, close to the period of ${seconds} s`, 'beat at half the period, as autoHealth does')
    : ok(told)
}
