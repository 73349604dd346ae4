/**
 * The gaps between a page's beats as the sidecar sees them: in a visible page, a hidden page, and one with a busy or a
 * dead main thread, in each installed browser, through the gateway and directly. The direct way needs a real sidecar
 * (SDK_SERVER names its binary), since the local one refuses pages of other origins.
 */
/* global block, document, sidecar -- of the page */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGateway } from '../dist/node.js'
import { installed, startBrowser } from './support/browsers.mjs'
import { root, startSidecarWithBeats } from './support/processes.mjs'
import { median, quantile, round } from './support/statistics.mjs'

export const title = 'Beats of a page, every second'

const INTERVAL_MS = 1_000
const BUSY_MS = 2_000
const BUSY_EVERY_MS = 5_000
const DEAD_MS = 10_000

export async function measure({ quick }) {
  const ms = quick ? 11_000 : 31_000
  const browsers = installed()
  if (browsers.length === 0) throw new Error('There is no browser here: install Chromium or Firefox.')
  const folder = await mkdtemp(join(tmpdir(), 'bench-page-'))
  await cp(join(import.meta.dirname, 'support', 'page-heartbeat.html'), join(folder, 'index.html'))
  await cp(join(root, 'dist', 'gameserver-sidecar.umd.js'), join(folder, 'client.js'))
  try {
    const rows = []
    for (const name of browsers) rows.push(...(await measureBrowser(name, folder, ms)))
    return rows
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function measureBrowser(name, folder, ms) {
  const sidecar = await startSidecarWithBeats()
  const gateway = await createGateway({ dir: folder, sidecar: sidecar.url, onWarning() {}, onLog() {} })
  const { browser, end } = await startBrowser(name)
  const pages = { gateway: gateway.url }
  if (sidecar.name === 'real') pages.direct = `${gateway.url}/?sidecar=${encodeURIComponent(sidecar.url)}`
  try {
    const rows = []
    for (const [way, url] of Object.entries(pages)) {
      const measured = await measurePage(browser, sidecar.beats, url, ms)
      rows.push(...measured.map((row) => ({ browser: name, way, ...row, sidecar: sidecar.name })))
    }
    return rows
  } finally {
    await end()
    await gateway.close()
    await sidecar.end()
  }
}

async function measurePage(browser, beats, url, ms) {
  const page = await browser.newPage()
  await page.goto(url)
  await until(() => page.evaluate(() => sidecar.status.lastBeat !== undefined))
  await sleep(3 * INTERVAL_MS)
  const heartbeat = await page.evaluate(() => sidecar.status.heartbeat)
  const during = async (condition, run) => {
    const from = beats.length
    await run()
    const gaps = beats
      .slice(from)
      .map((at, i) => at - beats[from + i - 1])
      .filter((gap) => gap > 0)
    return {
      page: condition,
      'sent by': heartbeat,
      beats: gaps.length,
      'median gap s': seconds(median(gaps)),
      '99 % s': seconds(quantile(gaps, 0.99)),
      'longest s': seconds(Math.max(...gaps)),
      'longest, intervals': round(Math.max(...gaps) / INTERVAL_MS),
    }
  }
  const rows = [
    await during('visible', () => sleep(ms)),
    await during(`busy ${BUSY_MS / 1000} s of every ${BUSY_EVERY_MS / 1000}`, () => keepBusy(page, ms)),
  ]
  const other = await browser.newPage()
  await other.bringToFront()
  await until(() => page.evaluate(() => document.hidden))
  rows.push(await during('hidden', () => sleep(ms)))
  await other.close()
  await page.bringToFront()
  await until(() => page.evaluate(() => !document.hidden))
  rows.push(await measureDeath(page, beats))
  await page.close()
  return rows
}

async function keepBusy(page, ms) {
  for (let left = ms; left > 0; left -= BUSY_EVERY_MS) {
    await page.evaluate((busy) => void setTimeout(block, 0, busy), BUSY_MS)
    await sleep(BUSY_EVERY_MS)
  }
}

/** How long a page went on to beat after its main thread had stopped, and how soon it resumed afterwards. */
async function measureDeath(page, beats) {
  const began = Date.now()
  await page.evaluate((dead) => void setTimeout(block, 0, dead), DEAD_MS)
  await sleep(DEAD_MS + 3 * INTERVAL_MS)
  const dead = beats.filter((at) => at > began && at < began + DEAD_MS)
  const back = beats.find((at) => at > began + DEAD_MS)
  return {
    page: `dead for ${DEAD_MS / 1000} s`,
    beats: dead.length,
    'last beat after s': seconds((dead.at(-1) ?? began) - began),
    'back after s': seconds(back - began - DEAD_MS),
  }
}

async function until(condition) {
  for (let i = 0; !(await condition()); i++) {
    if (i > 200) throw new Error('The page did not become what it should be measured as.')
    await sleep(100)
  }
}

const seconds = (ms) => round(ms / 1000, 3)
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
