/**
 * The dashboard in Chromium: bytes, time to load, time from a call to its row, frames during a flood of events, and the
 * delay that three open dashboards add to a game's calls; and the page of a Fleet of 50 GameServers.
 */
/* global document, requestAnimationFrame, MutationObserver, window -- of the page */
import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { createLocalSidecar } from '../dist/node.js'
import { post as postJson, withFleet } from './fleet.mjs'
import { startBrowser } from './support/browsers.mjs'
import { freePort, startLocalSidecar } from './support/processes.mjs'
import { median, quantile, round } from './support/statistics.mjs'

export const title = 'The dashboard'

const agent = new Agent({ keepAlive: true })
const post = (url, path) =>
  new Promise((resolve, reject) => {
    const sent = request(url + path, { method: 'POST', agent }, (answer) => answer.resume().on('end', resolve))
    sent.on('error', reject).end('{}')
  })
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

export async function measure({ quick }) {
  const sidecar = startLocalSidecar(await freePort())
  const { browser, end } = await startBrowser('Chromium')
  try {
    await answered(sidecar.url)
    return [
      ...(await transfer(browser, sidecar.url)),
      ...(await firstPaint(browser, sidecar.url, quick ? 5 : 15)),
      ...(await rowLatency(browser, sidecar.url, quick ? 10 : 40)),
      ...(await flood(browser, quick ? 3_000 : 10_000)),
      ...(await addedToCalls(browser, sidecar.url, quick ? 2_000 : 6_000)),
      ...(await withFleet(50, (fleet) => fleetFlood(browser, fleet, quick ? 3_000 : 10_000))),
    ]
  } finally {
    await end()
    await sidecar.end()
  }
}

async function answered(url) {
  for (;;) {
    try {
      return await post(url, '/ready')
    } catch {
      await sleep(20)
    }
  }
}

const row = (what, figures) => ({ what, ...figures })

async function transfer(browser, url) {
  const html = await (await fetch(`${url}/_/`)).text()
  const page = await open(browser, url)
  const sent = await page.evaluate(() => performance.getEntriesByType('navigation')[0].encodedBodySize)
  await page.close()
  const gzip = gzipSync(html, { level: 9 }).length
  return [row('transfer, kB', { median: sent / 1000 }), row('the same by gzip, kB', { median: gzip / 1000 })]
}

const open = async (browser, url) => {
  const page = await browser.newPage()
  await page.setViewport({ width: 1280, height: 800 })
  await page.goto(`${url}/_/`)
  await page.waitForSelector('.header-state .state-mark')
  return page
}

async function firstPaint(browser, url, times) {
  const bare = createServer((_, reply) => {
    reply.setHeader('content-type', 'text/html')
    reply.end('<!doctype html><title>bare</title><p>bare')
  }).listen(0, '127.0.0.1')
  await once(bare, 'listening')
  const bareUrl = `http://127.0.0.1:${bare.address().port}/`
  const paints = { [bareUrl]: [], [`${url}/_/`]: [] }
  for (let i = 0; i < times; i++) {
    for (const [address, all] of Object.entries(paints)) {
      const page = await browser.newPage()
      await page.goto(address)
      await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0)
      all.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime))
      await page.close()
    }
  }
  bare.closeAllConnections()
  bare.close()
  return [
    row('first paint, ms', figures(paints[`${url}/_/`])),
    row('first paint of a page of one word, ms', figures(paints[bareUrl])),
  ]
}

async function rowLatency(browser, url, times) {
  const page = await open(browser, url)
  const latencies = []
  for (let i = 0; i < times; i++) {
    latencies.push(
      await page.evaluate(
        (path) =>
          new Promise((resolve) => {
            const begun = performance.now()
            const observer = new MutationObserver(() => {
              if (!document.querySelector('.timeline-list').textContent.includes(path)) return
              observer.disconnect()
              resolve(performance.now() - begun)
            })
            observer.observe(document.querySelector('.timeline'), {
              childList: true,
              subtree: true,
              characterData: true,
            })
            void window.fetch(path)
          }),
        `/row-${i}-`,
      ),
    )
    await sleep(100)
  }
  await page.close()
  return [row('call to row, ms', figures(latencies))]
}

/** Makes a thousand changes a second through the control interface of a sidecar in this process. */
async function flood(browser, ms) {
  const { url, control, close } = await createLocalSidecar({ onWarning() {} })
  const page = await open(browser, url)
  const read = await countFrames(page)
  const begun = performance.now()
  let sent = 0
  while (performance.now() - begun < ms) {
    const due = performance.now() - begun
    while (sent < due) control({ type: 'setLabel', key: `k${sent % 5}`, value: String(sent++) })
    await sleep(5)
  }
  const { frames } = await read()
  await page.close()
  await close()
  return [
    row('events a second while frames were measured', { median: Math.round((sent / ms) * 1000) }),
    row('frame, ms', figures(frames)),
    row('frames over 100 ms', { median: frames.filter((frame) => frame > 100).length }),
  ]
}

/** Begins to count frames. The returned function gives their times in ms, and the ms of work in each second so far. */
async function countFrames(page) {
  const devtools = await page.createCDPSession()
  // Time of the processor, so that a busy machine changes nothing.
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  const busy = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value * 1000]))
  }
  await page.evaluate(() => {
    const isCounting = window.frames_ !== undefined
    Object.assign(window, { frames_: [], long_: 0 })
    if (isCounting) return
    new PerformanceObserver((list) => (window.long_ += list.getEntries().length)).observe({ type: 'longtask' })
    let last = performance.now()
    const step = (at) => {
      window.frames_.push(at - last)
      last = at
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })
  const [begun, before] = [performance.now(), await busy()]
  return async () => {
    const after = await busy()
    const seconds = (performance.now() - begun) / 1000
    const work = (name) => Math.round((after[name] - before[name]) / seconds)
    const [frames, long] = await page.evaluate(() => [window.frames_.slice(2), window.long_])
    const missed = frames.reduce((sum, frame) => sum + Math.round((frame * 60) / 1000) - 1, 0)
    return {
      frames,
      missed: round(missed / seconds),
      long: round(long / seconds),
      work: { all: work('TaskDuration'), script: work('ScriptDuration'), layout: work('LayoutDuration') },
    }
  }
}

/** A Fleet's page at rest, and while a GameServer changes its state a hundred times a second. */
async function fleetFlood(browser, fleet, ms) {
  const page = await open(browser, fleet.url)
  await sleep(1_000)
  const readIdle = await countFrames(page)
  await sleep(ms / 2)
  const idle = await readIdle()
  const before = fleet.entries().at(-1).sequence
  const read = await countFrames(page)
  const begun = performance.now()
  for (let i = 0; performance.now() - begun < ms; i++) {
    const { name, process, gameServer } = fleet.snapshot().servers[(i * 7) % 50]
    const state = gameServer.status.state === 'Ready' ? 'Reserved' : 'Ready'
    const command = { type: 'setState', state }
    postJson(`${process.sidecarUrl}/_/api/commands`, command, { 'x-sidecar-control': '1' }).catch((error) => {
      throw new Error(`${name} did not become ${state}`, { cause: error })
    })
    await sleep(Math.max(0, begun + (i + 1) * 10 - performance.now()))
  }
  const flooded = await read()
  const events = (fleet.entries().at(-1).sequence - before) / (ms / 1000)
  await page.close()
  return [
    row('a Fleet of 50: events a second', { median: Math.round(events) }),
    row('frame at rest, ms', figures(idle.frames)),
    row('frame during the events, ms', figures(flooded.frames)),
    row('frames of 60 a second that were dropped', { median: flooded.missed, 'at rest': idle.missed }),
    row('tasks over 50 ms, a second', { median: flooded.long, 'at rest': idle.long }),
    ...Object.entries(flooded.work).map(([name, spent]) =>
      row(`work a second, ${name}, ms`, { median: spent, 'at rest': idle.work[name] }),
    ),
  ]
}

async function addedToCalls(browser, url, ms) {
  const without = []
  const beside = []
  // In turns, so that other load on this machine affects both.
  for (let turn = 0; turn < 2; turn++) {
    without.push(...(await callTimes(url, ms / 2)))
    const pages = [await open(browser, url), await open(browser, url), await open(browser, url)]
    beside.push(...(await callTimes(url, ms / 2)))
    for (const page of pages) await page.close()
  }
  const [a, b] = [figures(without), figures(beside)]
  return [
    row('200 calls a second, no dashboard, ms a call', a),
    row('200 calls a second, three dashboards, ms a call', b),
    row('added by them, ms', { median: round(b.median - a.median), p90: round(b.p90 - a.p90) }),
  ]
}

async function callTimes(url, ms) {
  const times = []
  const begun = performance.now()
  const pending = []
  for (let i = 0; performance.now() - begun < ms; i++) {
    const start = performance.now()
    pending.push(post(url, '/health').then(() => times.push(performance.now() - start)))
    await sleep(Math.max(0, begun + (i + 1) * 5 - performance.now()))
  }
  await Promise.all(pending)
  return times
}

const figures = (values) => ({
  median: round(median(values)),
  p90: round(quantile(values, 0.9)),
  max: round(Math.max(...values)),
})
