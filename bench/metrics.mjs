/**
 * Times a scrape of a host's metrics, with and without players. The scraper runs in the host's process, so each figure also
 * holds the scraper's own work and both ends of the connection.
 */
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import WebSocket from 'ws'
import { createHost } from '../dist/node.js'
import { round } from './support/statistics.mjs'

export const title = 'A scrape of a hosted page'

const PAGE = `<!doctype html><link rel="icon" href="data:,"><script>
  gameServerHost.onconnection = (player) => (player.onmessage = ({ data }) => player.send(data))
  setInterval(() => gameServerHost.tick(), 1000 / 60)
</script>`

export async function measure({ quick }) {
  const dir = await mkdtemp(join(tmpdir(), 'bench-metrics-'))
  await writeFile(join(dir, 'index.html'), PAGE)
  const host = await createHost({ dir, local: true, playersPort: 0, metricsPort: 0, onEvent: () => {} })
  const players = []
  try {
    const rows = []
    for (const count of [0, 200]) {
      while (players.length < count) players.push(await joinAs(host.playersUrl))
      rows.push(await scrapes(host.metricsUrl, count, quick ? 200 : 2000))
    }
    return rows
  } finally {
    for (const player of players) player.terminate()
    await host.close()
    await rm(dir, { recursive: true, force: true })
  }
}

/** A player joins once the page has booted. */
async function joinAs(url) {
  for (;;) {
    const player = new WebSocket(url)
    const isIn = await Promise.race([
      once(player, 'open').then(() => true),
      once(player, 'error').then(() => false),
    ]).catch(() => false)
    if (isIn) return player
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function scrapes(url, players, times) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ms = []
  let bytes = 0
  for (let i = 0; i < times; i++) {
    const began = performance.now()
    const [response] = await once(get(url, { agent }), 'response')
    bytes = 0
    for await (const chunk of response) bytes += chunk.length
    ms.push(performance.now() - began)
  }
  agent.destroy()
  ms.sort((a, b) => a - b)
  return {
    players,
    scrapes: times,
    bytes,
    'median ms': round(ms[Math.floor(times / 2)], 3),
    'p99 ms': round(ms[Math.floor(times * 0.99)], 3),
  }
}
