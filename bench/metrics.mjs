/**
 * Measures what a scrape of a host's metrics costs the host, with and without players, by the CPU of its process. All else
 * that the host does meanwhile counts too: HTTP, the local sidecar, the watch over the page.
 */
import { execFile as run } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import WebSocket from 'ws'
import { createHost } from '../dist/node.js'
import { round } from './support/statistics.mjs'

const execFile = promisify(run)

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

/** What the scraper's process runs: its own work must not count. */
const SCRAPER = `
const [url, times] = process.argv.slice(1)
const ms = []
let bytes = 0
for (let i = 0; i < Number(times); i++) {
  const began = performance.now()
  bytes = (await (await fetch(url)).text()).length
  ms.push(performance.now() - began)
}
ms.sort((a, b) => a - b)
console.log(JSON.stringify({ bytes, median: ms[Math.floor(ms.length / 2)] }))`

async function scrapes(url, players, times) {
  const before = process.cpuUsage()
  const { stdout } = await execFile(process.execPath, ['--input-type=module', '-e', SCRAPER, url, String(times)])
  const { user, system } = process.cpuUsage(before)
  const { bytes, median } = JSON.parse(stdout)
  return {
    players,
    scrapes: times,
    bytes,
    "host's CPU ms each": round((user + system) / 1000 / times, 3),
    'median ms': round(median, 3),
  }
}
