/**
 * The local sidecar's start, its requests per second, and the time of a request while many other clients hold
 * connections.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { gather } from './support/crowd.mjs'
import { getTimes, requestsPerSecond } from './support/load.mjs'
import { answered, end, freePort, start, startLocalSidecar } from './support/processes.mjs'
import { median, quantile, round } from './support/statistics.mjs'

export const title = 'Local sidecar'

const CROWD = { watchers: 1_000, slow: 200 }
/** The longest time of a GET beside those clients, in ms, at the 95th percentile. */
const LONGEST_BESIDE_CROWD = 100

export async function measure({ quick }) {
  const startUp = await measureStartUp(quick ? 5 : 21)
  const rates = await measureRates(quick ? 3 : 7, quick ? 3_000 : 10_000)
  const beside = await measureBesideCrowd(quick ? 300 : 2_000)
  const p95 = quantile(beside.ours, 0.95)
  if (!(p95 < LONGEST_BESIDE_CROWD)) {
    console.error(
      `A GET beside the crowd takes ${round(p95)} ms at the 95th percentile, not under ${LONGEST_BESIDE_CROWD}`,
    )
    process.exitCode = 1
  }
  return [
    {
      measure: 'start until the first answer, ms',
      'local sidecar': round(median(startUp.ours), 1),
      'plain Node': round(median(startUp.node), 1),
      ratio: round(median(startUp.ours) / median(startUp.node)),
      'p95 of ours': round(quantile(startUp.ours, 0.95), 1),
    },
    {
      measure: 'GET /gameserver, requests/s',
      'local sidecar': Math.round(median(rates.ours)),
      'plain Node': Math.round(median(rates.node)),
      ratio: round(median(rates.ours) / median(rates.node)),
      'p95 of ours': Math.round(quantile(rates.ours, 0.95)),
    },
    {
      measure: `a GET beside ${CROWD.watchers} watchers and ${CROWD.slow} slow clients, ms`,
      'local sidecar': round(median(beside.ours)),
      'plain Node': round(median(beside.node)),
      ratio: round(median(beside.ours) / median(beside.node)),
      'p95 of ours': round(p95),
    },
  ]
}

/** Compared with an idle Node: the difference is the sidecar's. */
async function measureStartUp(rounds) {
  const times = { ours: [], node: [] }
  for (let i = 0; i < rounds; i++) {
    const port = await freePort()
    const began = performance.now()
    const sidecar = startLocalSidecar(port)
    await answered(sidecar.url, sidecar)
    times.ours.push(performance.now() - began)
    await sidecar.end()

    const beganNode = performance.now()
    await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit')
    times.node.push(performance.now() - beganNode)
  }
  return times
}

/** Compared with a bare `node:http` server that sends the same bytes. One loader asks both in turns. */
async function measureRates(rounds, requests) {
  const sidecar = startLocalSidecar(await freePort())
  const rates = { ours: [], node: [] }
  let bare
  try {
    bare = await start('bare-server.mjs', await answered(sidecar.url, sidecar))
    const { port } = bare.message
    for (let i = -1; i < rounds; i++) {
      const ours = await requestsPerSecond(Number(new URL(sidecar.url).port), '/gameserver', requests)
      const node = await requestsPerSecond(port, '/gameserver', requests)
      if (i < 0) continue
      rates.ours.push(ours)
      rates.node.push(node)
    }
  } finally {
    if (bare !== undefined) await end(bare.child)
    await sidecar.end()
  }
  return rates
}

/** Compared with a bare server without the other clients. */
async function measureBesideCrowd(requests) {
  const sidecar = startLocalSidecar(await freePort())
  let bare
  let crowd
  try {
    bare = await start('bare-server.mjs', await answered(sidecar.url, sidecar))
    const port = Number(new URL(sidecar.url).port)
    crowd = await gather(port, CROWD)
    const times = { ours: [], node: [] }
    const atOnce = 100
    for (let done = 0; done < requests; done += atOnce) {
      times.ours.push(...(await getTimes(port, '/gameserver', atOnce)))
      times.node.push(...(await getTimes(bare.message.port, '/gameserver', atOnce)))
    }
    if (crowd.gone() > 0) throw new Error(`${crowd.gone()} of the crowd were sent away, so nothing was measured`)
    return times
  } finally {
    crowd?.leave()
    if (bare !== undefined) await end(bare.child)
    await sidecar.end()
  }
}
