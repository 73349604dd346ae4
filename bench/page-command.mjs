/**
 * The time of a command in a page, compared with the same request by plain fetch, in each browser, through the gateway.
 */
/* global sidecar -- of the page */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGateway } from '../dist/node.js'
import { installed, startBrowser } from './support/browsers.mjs'
import { root, startSidecar } from './support/processes.mjs'
import { median, round } from './support/statistics.mjs'

export const title = 'A command of a page beside raw fetch'

const BATCH = 20
const PAGE =
  '<!doctype html><script src="client.js"></script><script>sidecar = GameServerSidecar.createClient()</script>'

export async function measure({ quick }) {
  const browsers = installed()
  if (browsers.length === 0) throw new Error('There is no browser here: install Chromium or Firefox.')
  const folder = await mkdtemp(join(tmpdir(), 'bench-page-'))
  await writeFile(join(folder, 'index.html'), PAGE)
  await cp(join(root, 'dist', 'gameserver-sidecar.umd.js'), join(folder, 'client.js'))
  const server = await startSidecar()
  const gateway = await createGateway({ dir: folder, sidecar: server.url, onWarning() {}, onLog() {} })
  try {
    const rows = []
    for (const name of browsers) rows.push(...(await measureBrowser(name, gateway.url, quick ? 10 : 50)))
    return rows.map((row) => ({ ...row, sidecar: server.name }))
  } finally {
    await gateway.close()
    await server.end()
    await rm(folder, { recursive: true })
  }
}

async function measureBrowser(name, url, batches) {
  const { browser, end } = await startBrowser(name)
  try {
    const page = await browser.newPage()
    await page.goto(url)
    const measured = await page.evaluate(compare, batches, BATCH)
    return Object.entries(measured).map(([command, { fetch: raw, client }]) => ({
      browser: name,
      command,
      'fetch ms': round(median(raw), 3),
      'client ms': round(median(client), 3),
      ratio: round(median(client) / median(raw), 2),
    }))
  } finally {
    await end()
  }
}

/** Runs in the page. Batches take turns, and a browser's clock is too coarse for one call. */
async function compare(batches, batch) {
  const byFetch = async (path, init) => {
    const response = await fetch(path, init)
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return JSON.parse(text)
  }
  const headers = { 'content-type': 'application/json' }
  const commands = {
    setLabel: {
      fetch: () =>
        byFetch('/_/sidecar/metadata/label', { method: 'PUT', headers, body: '{"key":"round","value":"7"}' }),
      client: () => sidecar.setLabel('round', '7'),
    },
    getGameServer: { fetch: () => byFetch('/_/sidecar/gameserver'), client: () => sidecar.getGameServer() },
  }
  const measured = {}
  for (const [command, ways] of Object.entries(commands)) {
    const times = (measured[command] = { fetch: [], client: [] })
    for (let i = -batches / 5; i < batches; i++) {
      for (const way of i % 2 ? ['fetch', 'client'] : ['client', 'fetch']) {
        const start = performance.now()
        for (let n = 0; n < batch; n++) await ways[way]()
        if (i >= 0) times[way].push((performance.now() - start) / batch)
      }
    }
  }
  return measured
}
