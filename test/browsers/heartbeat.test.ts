import { expect, onTestFinished, test, vi } from 'vitest'
import { createGateway } from '../../src/node.js'
import type { Sidecar } from '../../src/platform/sidecar.js'
import { gameServer } from '../hosts/support/sidecar.js'
import { untilLogged } from '../support/with-sidecar.js'
import { inEachBrowser, type OpenPage } from './support/each-browser.js'
import { buildGame, servePages, sidecarQuery, startOpenSidecar } from './support/game.js'

const game = buildGame()

/** ms for which a page may be busy. The client's default is 3,000. */
const STALL_TIMEOUT = 2000
/** ms by which a busy machine may delay something. */
const LATE = 1500
/** ms for which a page is away. */
const AWAY = 2500

interface HeartPage {
  sidecar: Sidecar
  url: string
}

/** The page is at the sidecar's own origin, or at another one. */
type Place = 'through a gateway' | 'from another origin'

/** Serves pages/umd.html, and starts its sidecar. */
async function serveHeart(place: Place, headers?: Record<string, string>): Promise<HeartPage> {
  if (place === 'from another origin') {
    const { sidecar, url } = await startOpenSidecar({ mode: 'local', gameServer })
    const pages = await servePages(game, headers)
    return { sidecar, url: pages.url(`umd.html${sidecarQuery(url)}`) }
  }
  const gateway = await createGateway({ dir: game, local: { mode: 'local', gameServer } })
  onTestFinished(() => gateway.close())
  return { sidecar: gateway.local!.sidecar, url: `${gateway.url}/umd.html` }
}

/** When the sidecar got each call of an operation, in ms since the Unix epoch, as `Date.now()` in a page. */
const timesOf = (sidecar: Sidecar, operation: string): number[] =>
  sidecar.log
    .entries()
    .filter(({ event }) => event.type === 'call' && event.call.operation === operation)
    .map(({ at }) => at)

const beatsOf = (sidecar: Sidecar): number[] => timesOf(sidecar, 'health')

const beatsWithin = (sidecar: Sidecar, from: number, to: number): number[] =>
  beatsOf(sidecar).filter((at) => at >= from && at < to)

/** Resolves with the time of the first beat at or after `time`. */
async function firstBeatSince(sidecar: Sidecar, time: number): Promise<number> {
  const find = (): number | undefined => beatsOf(sidecar).find((at) => at >= time)
  await untilLogged({ sidecar }, () => find() !== undefined)
  return find()!
}

const whileAway = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, AWAY))

/** Two ways to end a page for good, each from another place. */
const departures: Readonly<Record<string, { place: Place; leave(page: OpenPage): Promise<unknown> }>> = {
  closed: { place: 'through a gateway', leave: ({ page }) => page.close() },
  'left for good': {
    place: 'from another origin',
    async leave({ page, run }) {
      await run(`addEventListener('unload', () => {})`)
      await page.goto('about:blank')
    },
  },
}

interface Busy {
  from: number
  to: number
}

inEachBrowser((browser) => {
  test("a heartbeat uses a worker's timers, and close() ends the worker", async () => {
    const { sidecar, url } = await serveHeart('through a gateway')
    const page = await browser.open(url)
    expect(await page.run('beatByWorker(4)')).toEqual({ workers: [1, 0], lastBeat: true })
    expect(beatsOf(sidecar).length).toBeGreaterThanOrEqual(4)
  })

  test('a page whose policy forbids workers from blobs sends its heartbeats itself, and status.heartbeat is page', async () => {
    const { sidecar, url } = await serveHeart('from another origin', { 'content-security-policy': "worker-src 'none'" })
    const page = await browser.open(url)
    expect(await page.run('startHeartWithoutWorker({ interval: 250 }, 4)')).toBe('page')
    expect(beatsOf(sidecar).length).toBeGreaterThanOrEqual(4)
  })

  test('a page that is busy for longer than stallTimeout sends no beat meanwhile, and beats at once when it is free', async () => {
    const { sidecar, url } = await serveHeart('through a gateway')
    const page = await browser.open(url)
    await page.run(`startHeart({ interval: 250, stallTimeout: ${STALL_TIMEOUT} })`)
    const { from, to } = await page.run<Busy>('block(5500)')
    // A few beats may still be in flight.
    expect(beatsWithin(sidecar, from + LATE, to).length).toBeLessThan(4)
    expect((await firstBeatSince(sidecar, to)) - to).toBeLessThan(LATE)
  })

  test.each(Object.entries(departures))(
    'with shutdownOnPageHide, a page that is %s sends a last beat and one shutdown',
    async (_, { place, leave }) => {
      const { sidecar, url } = await serveHeart(place)
      const hasShutDown = (): boolean => timesOf(sidecar, 'shutdown').length > 0
      let before = 0
      // A busy browser may drop the last requests of a page that it closes, so the test tries three pages.
      for (let left = 3; left > 0 && !hasShutDown(); left--) {
        const page = await browser.open(url)
        await page.run('startHeart({ interval: 60_000 }, { shutdownOnPageHide: true }, 1)')
        before = beatsOf(sidecar).length
        await leave(page)
        const isTold = (): boolean => hasShutDown() && beatsOf(sidecar).length > before
        await vi.waitUntil(isTold, { timeout: 20_000 }).catch(() => undefined)
      }
      expect(timesOf(sidecar, 'shutdown').length).toBe(1)
      expect(beatsOf(sidecar).length).toBeGreaterThan(before)
    },
  )

  test('a heartbeat keeps its pace in a hidden page, whose own timers the browser slows down', async () => {
    const { sidecar, url } = await serveHeart('from another origin')
    const page = await browser.open(url)
    await page.run('startHeart({ interval: 250 })')
    const front = await browser.open('about:blank')
    await front.page.bringToFront()
    const hidden = await page.run<number>('untilHidden()')
    // A heart on the page's own timers could send no more beats than those timers fire, about one a second.
    const fired = await page.run<number>('countTimers(3000)')
    expect(fired).toBeLessThan(10)
    expect(beatsOf(sidecar).filter((at) => at >= hidden).length).toBeGreaterThan(fired)
    expect(await page.run('heldBack()')).toEqual([])
  })

  test('a heartbeat pauses while its page is in the back-forward cache, shuts nothing down, and resumes when the page does', async () => {
    const { sidecar, url } = await serveHeart('through a gateway')
    const page = await browser.open(url)
    let [left, back] = [0, 0]
    // A browser keeps no page that it leaves while a beat is in flight, so the test tries again.
    await vi.waitUntil(
      async () => {
        await page.page.goto(url)
        await page.run('startHeart({ interval: 250 })')
        await page.run('window.wasKept = true')
        await page.page.goto('about:blank')
        left = Date.now()
        await whileAway()
        back = Date.now()
        // The timer lets the page answer before it leaves.
        await page.run('void setTimeout(() => history.back())')
        await vi.waitUntil(() => page.run("location.href !== 'about:blank'").catch(() => false), { timeout: 60_000 })
        return page.run<boolean>('window.wasKept === true')
      },
      { timeout: 150_000 },
    )
    await firstBeatSince(sidecar, back)
    expect(beatsWithin(sidecar, left + LATE, back)).toEqual([])
    expect(timesOf(sidecar, 'shutdown')).toEqual([])
  })
})
