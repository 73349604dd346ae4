/** How soon the local sidecar answers after Node is started, and how many requests a second it answers. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { requestsPerSecond } from './support/load.mjs'
import { answered, end, freePort, start, startLocalSidecar } from './support/processes.mjs'
import { median, quantile, round } from './support/statistics.mjs'

export const title = 'Local sidecar'

export async function measure({ quick }) {
  const startUp = await measureStartUp(quick ? 5 : 21)
  const rates = await measureRates(quick ? 3 : 7, quick ? 3_000 : 10_000)
  return [
    {
      measure: 'start until the first answer, ms',
      'local sidecar': round(median(startUp.ours), 1), 'plain Node': round(median(startUp.node), 1),
      ratio: round(median(startUp.ours) / median(startUp.node)), 'p95 of ours': round(quantile(startUp.ours, 0.95), 1),
    },
    {
      measure: 'GET /gameserver, requests/s',
      'local sidecar': Math.round(median(rates.ours)), 'plain Node': Math.round(median(rates.node)),
      ratio: round(median(rates.ours) / median(rates.node)), 'p95 of ours': Math.round(quantile(rates.ours, 0.95)),
    },
  ]
}

/** Against a Node that does nothing at all: what is left is ours. */
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

/** Against a bare `node:http` server that answers the same bytes, both asked by the same loader in turns. */
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
