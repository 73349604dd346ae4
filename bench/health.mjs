/**
 * A minute of faults around a healthy game: watches are reset or stall, and all calls except beats are slow or fail.
 * Counts the periods without a beat. Each kind of fault has a sidecar and a client of its own.
 */
import { createClient } from '../dist/index.js'
import { createLocalSidecar } from '../dist/node.js'
import { round } from './support/statistics.mjs'

export const title = 'Health through a minute of trouble (period 1 s)'

const commands = ['getGameServer', 'setLabel', 'addListValue', 'getList', 'updateCounter', 'ready', 'watchGameServer']
const troubles = {
  'watch reset five times a second': (sidecar) => repeat(200, () => sidecar.control({ type: 'dropWatchers' })),
  'watch stalled': (sidecar) => repeat(5000, () => sidecar.control({ type: 'stallWatchers' })),
  'calls slow by 3 s': (sidecar) =>
    repeat(5000, () => sidecar.control({ type: 'delayCalls', ms: 3000, operations: commands })),
  'calls answered 500': (sidecar) =>
    repeat(5000, () => sidecar.control({ type: 'failCalls', status: 500, message: 'no', operations: commands })),
  'connections of calls cut': (sidecar) =>
    repeat(5000, () => sidecar.control({ type: 'failCalls', drop: true, operations: commands })),
}

export async function measure({ quick }) {
  const seconds = quick ? 5 : 60
  return Promise.all(Object.entries(troubles).map(([name, start]) => measureOne(name, start, seconds)))
}

async function measureOne(trouble, start, seconds) {
  const health = { periodSeconds: 1, failureThreshold: 3, initialDelaySeconds: 0 }
  const sidecar = await createLocalSidecar({ port: 0, gameServer: { spec: { health } } })
  const client = createClient({ baseUrl: sidecar.url, autoHealth: true })
  let [missed, beats, failed, last, longest] = [0, 0, 0, performance.now(), 0]
  client.on('health', ({ ok }) => {
    beats++
    if (!ok) return failed++
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  })
  client.on('gameserver', () => {})
  await client.connect()
  sidecar.sidecar.log.subscribe(({ warnings }) => {
    missed += warnings.filter(({ code }) => code === 'health-failure').length
  })
  const stop = start(sidecar)
  // A game would go on making such calls, which fail.
  const stopCalling = repeat(100, () => void client.setLabel('n', String(beats), { timeout: 2000 }).catch(() => {}))
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  stop()
  stopCalling()
  const { state } = sidecar.sidecar.snapshot().gameServer.status
  client.close()
  await sidecar.close()
  return {
    trouble,
    seconds,
    beats,
    'failed beats': failed,
    'missed periods': missed,
    'longest gap s': round(longest / 1000),
    state,
  }
}

function repeat(ms, run) {
  run()
  const timer = setInterval(run, ms)
  return () => clearInterval(timer)
}
