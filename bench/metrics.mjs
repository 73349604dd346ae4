/**
 * Measures what a scrape of a host's metrics costs the host, with and without players, by the CPU of its process. HTTP and
 * all else that the host does meanwhile counts as well, so the same number of requests that are answered with 404 is
 * subtracted: what is left is the reading of the figures and the writing of the text.
 */
import { execFile as run } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import WebSocket from 'ws'
import { createHost } from '../dist/node.js'
import { median, round } from './support/statistics.mjs'

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
      rows.push(await scrapes(host.metricsUrl, count, quick ? 2 : 8))
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
let bytes = 0
for (let i = 0; i < Number(times); i++) bytes = (await (await fetch(url)).text()).length
console.log(bytes)`

const TIMES = 500

/** The host's CPU time for each request, in ms, and the length of the last answer. */
async function cost(url) {
  const before = process.cpuUsage()
  const { stdout } = await execFile(process.execPath, ['--input-type=module', '-e', SCRAPER, url, String(TIMES)])
  const { user, system } = process.cpuUsage(before)
  return { ms: (user + system) / 1000 / TIMES, bytes: Number(stdout) }
}

async function scrapes(url, players, rounds) {
  const [all, alone] = [[], []]
  let bytes = 0
  for (let i = 0; i < rounds; i++) {
    const scrape = await cost(url)
    const { ms } = await cost(new URL('/none', url))
    bytes = scrape.bytes
    all.push(scrape.ms)
    alone.push(scrape.ms - ms)
  }
  return {
    players,
    scrapes: rounds * TIMES,
    bytes,
    'CPU ms with HTTP': round(median(all), 3),
    'CPU ms of a scrape alone': round(median(alone), 3),
  }
}
