import { parseObject } from '../../client/answers.js'
import { failure, ok, skipped, warning } from './check.js'
import type { Check, Finding, Patient } from './check.js'
import { firstLine, reasonOf } from './probe.js'

const SLOW_MS = 1_000
/** The line at which the real sidecar ends a WebSocket unsent. */
const LINE_LIMIT = 65_536
const MANY_STREAMS = 4

const PATH = '/watch/gameserver'

const whenSeen =
  (run: (patient: Patient) => Promise<Finding>) =>
  async (patient: Patient): Promise<Finding> =>
    (await patient.gameServer()) === undefined ? skipped('there is no GameServer to watch') : run(patient)

async function checkStream({ url, patience, read }: Patient): Promise<Finding> {
  const found = await firstLine(`${url}${PATH}`, { patience: Math.max(SLOW_MS, patience) })
  if (found !== undefined && found.ms <= SLOW_MS && parseObject(found.line)?.['result'] !== undefined) {
    return ok(`the stream gives the GameServer after ${Math.round(found.ms)} ms`)
  }
  const { headers } = await read()
  const via = [headers['via'], headers['server']].filter((one) => one !== undefined).map(String)
  const proxy = via.length === 0 ? 'a proxy in front' : `what is in front (${via.join(', ')})`
  return failure(
    found === undefined
      ? 'the stream of the watch gives nothing'
      : `the stream's first line took ${Math.round(found.ms)} ms`,
    `see whether watches are stalled by a fault, and let ${proxy} pass answers on unbuffered (nginx: proxy_buffering off)`,
  )
}

async function checkWebSocket({ url, patience }: Patient): Promise<Finding> {
  const found = await firstFrame(`${url.replace(/^http/, 'ws')}${PATH}`, Math.max(SLOW_MS, patience))
  if (typeof found === 'number') {
    return found <= SLOW_MS
      ? ok(`the WebSocket gives the GameServer after ${Math.round(found)} ms`)
      : warning(
          `the WebSocket's first frame took ${Math.round(found)} ms`,
          'look for a fault that is set, or a busy machine',
        )
  }
  return warning(
    `the WebSocket gives nothing (${found}); this package's client falls back to the HTTP stream, others wait for ever`,
    'platform 1.50 to 1.52 has this fault: update it; else let what is in front pass upgrades on',
  )
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

async function checkSize({ read, gameServer }: Patient): Promise<Finding> {
  const bytes = Buffer.byteLength((await read()).text)
  const size = `the GameServer has ${bytes} bytes as JSON`
  if (bytes < LINE_LIMIT * 0.75) return ok(`${size}, of ${LINE_LIMIT} that a WebSocket takes`)
  const largest = (await gameServer())!.annotations
    .map(([key, value]) => ({ key, bytes: Buffer.byteLength(value) }))
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, 3)
    .map((one) => `${one.key} (${one.bytes})`)
  const fix = `make annotations smaller or move them elsewhere; the largest: ${largest.join(', ')}`
  return bytes < LINE_LIMIT
    ? warning(`${size}; at ${LINE_LIMIT} no WebSocket gets it any more`, fix)
    : failure(`${size}: over ${LINE_LIMIT} the sidecar ends each WebSocket with nothing sent, again and again`, fix)
}

async function checkEcho({ listener, gameServer }: Patient): Promise<Finding> {
  const found = await listener()
  const { uid, name } = (await gameServer())!
  const isLocalMode = found.kind === 'ours' ? found.state?.mode === 'local' : uid === '1234' && name === 'local'
  return isLocalMode
    ? warning(
        'in local mode, counters and lists that the game changes never come by the watch; in a pod they do, after half a second',
        found.kind === 'ours'
          ? 'start local without --mode local'
          : 'try the game with gameserver-sidecar local, which tells of them',
      )
    : ok('changes of counters and lists come by the watch')
}

async function checkWatchers({ listener }: Patient): Promise<Finding> {
  const found = await listener()
  const streams = found.kind === 'ours' ? found.state?.streams : undefined
  if (streams === undefined) return skipped('only a local sidecar of this package tells')
  return streams < MANY_STREAMS
    ? ok(`${streams} HTTP streams are open; a browser has 6 connections to a host`)
    : warning(
        `${streams} HTTP streams are open; in one browser, each takes one of its 6 connections to a host, and calls wait at 6`,
        "close unused tabs, and leave the client's watch option at auto, which takes a WebSocket",
      )
}

async function checkFaults({ listener }: Patient): Promise<Finding> {
  const found = await listener()
  const set = found.kind === 'ours' ? found.state?.faults : undefined
  if (set === undefined) return skipped('only a local sidecar of this package has faults, and tells of them')
  return set.length === 0
    ? ok('no faults are set')
    : warning(
        `faults are set on purpose: ${set.join(', ')}`,
        'press 0 in the dashboard, or send the control command {"type":"clearFaults"}',
      )
}

export const watchChecks: readonly Check[] = [
  { id: 'stream', group: 'Watch', run: whenSeen(checkStream) },
  { id: 'websocket', group: 'Watch', run: whenSeen(checkWebSocket) },
  { id: 'size', group: 'Watch', run: whenSeen(checkSize) },
  { id: 'echo', group: 'Watch', run: whenSeen(checkEcho) },
  { id: 'watchers', group: 'Watch', run: whenSeen(checkWatchers) },
  { id: 'faults', group: 'Watch', run: checkFaults },
]
