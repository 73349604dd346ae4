import { expect, onTestFinished, test, vi } from 'vitest'
import { createGateway } from '../../src/node/index.js'
import type { Sidecar } from '../../src/sidecar/index.js'
import { gameServer } from '../hosts/support/sidecar.js'
import { untilLogged } from '../support/with-sidecar.js'
import { inDrivenBrowsers, inEachBrowser, type DrivenPage } from './support/each-browser.js'
import { buildGame, servePages, sidecarQuery, startOpenSidecar } from './support/game.js'

const game = buildGame()

/** ms for which a page may be busy; a client has 3,000 if nothing else is said. */
const STALL_TIMEOUT = 2000
/** How much later than it should something may happen on a busy machine, ms. */
const LATE = 1500
/** ms for which a page isn't there. */
const AWAY = 2500

interface HeartPage {
  sidecar: Sidecar
  url: string
}

/** Where a page that beats may be: at the sidecar's own origin, or at another one. */
type Place = 'through a gateway' | 'from another origin'

/** A page that beats, pages/umd.html, and its sidecar. */
async function serveHeart(place: Place, game: string): Promise<HeartPage> {
  if (place === 'from another origin') return serveHeartElsewhere(game)
  const gateway = await createGateway({ dir: game, local: { mode: 'local', gameServer } })
  onTestFinished(() => gateway.close())
  return { sidecar: gateway.local!.sidecar, url: `${gateway.url}/umd.html` }
}

async function serveHeartElsewhere(game: string, headers?: Record<string, string>): Promise<HeartPage> {
  const { sidecar, url } = await startOpenSidecar({ mode: 'local', gameServer })
  const pages = await servePages(game, headers)
  return { sidecar, url: pages.url(`umd.html${sidecarQuery(url)}`) }
}

/** When a call came, ms since the Unix epoch: the clock that a page has too. */
const timesOf = (sidecar: Sidecar, operation: string): number[] =>
  sidecar.log
    .entries()
    .filter(({ event }) => event.type === 'call' && event.call.operation === operation)
    .map(({ at }) => at)

const beatsOf = (sidecar: Sidecar): number[] => timesOf(sidecar, 'health')

const beatsWithin = (sidecar: Sidecar, from: number, to: number): number[] =>
  beatsOf(sidecar).filter((at) => at >= from && at < to)

const untilBeats = (sidecar: Sidecar, count: number): Promise<void> =>
  untilLogged({ sidecar }, () => beatsOf(sidecar).length >= count)

/** Resolves with the first beat at that time or later. */
async function firstBeatSince(sidecar: Sidecar, time: number): Promise<number> {
  const find = (): number | undefined => beatsOf(sidecar).find((at) => at >= time)
  await untilLogged({ sidecar }, () => find() !== undefined)
  return find()!
}

const whileAway = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, AWAY))

/** Two ways to end a page that can't come back, each of a page at another place. */
const departures: Readonly<Record<string, { place: Place; leave(page: DrivenPage): Promise<unknown> }>> = {
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

// In WebKit a worker's requests wait for the page's thread.
inDrivenBrowsers((browser) => {
  test('a heartbeat goes on while the page is busy for a while, stops behind one that is for longer, and goes on with it', async () => {
    const { sidecar, url } = await serveHeart('through a gateway', game)
    const page = await browser.open(url)
    await page.run(`startHeart({ interval: 250, stallTimeout: ${STALL_TIMEOUT} })`)
    const { from, to } = await page.run<Busy>('block(5500)')
    expect(beatsWithin(sidecar, from, from + STALL_TIMEOUT).length).toBeGreaterThanOrEqual(3)
    // A few may be in flight for longer; a heart that goes on would beat eight times.
    expect(beatsWithin(sidecar, from + STALL_TIMEOUT + LATE, to).length).toBeLessThan(4)
    expect((await firstBeatSince(sidecar, to)) - to).toBeLessThan(LATE)
    // A busy machine may hold answers back, too.
    const held = await page.run<readonly { reason: string }[]>('heldBack()')
    expect(held.map(({ reason }) => reason)).toContain('stalled')
  })

  test('a heartbeat beats a last time when its page is left, and shuts nothing down', async () => {
    const { sidecar, url } = await serveHeart('from another origin', game)
    const page = await browser.open(url)
    await page.run('startHeart({ interval: 60_000 }, {}, 1)')
    const before = beatsOf(sidecar).length
    await page.page.goto('about:blank')
    await untilBeats(sidecar, before + 1)
    expect(timesOf(sidecar, 'shutdown')).toEqual([])
  })

  test.each(Object.entries(departures))(
    'a heartbeat beats a last time when its page is %s, and shuts down once if it is told to',
    async (_, { place, leave }) => {
      const { sidecar, url } = await serveHeart(place, game)
      const hasShutDown = (): boolean => timesOf(sidecar, 'shutdown').length > 0
      let before = 0
      // A busy browser may drop the last requests of a page that it closes, so a lost page gets two successors.
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

  test('a heartbeat goes on in a page that another one hides, whose own timers are slowed down', async () => {
    const { sidecar, url } = await serveHeart('from another origin', game)
    const page = await browser.open(url)
    await page.run('startHeart({ interval: 250 })')
    await browser.openInFront(page, 'about:blank')
    const hidden = await page.run<number>('untilHidden()')
    // Unhidden it would be 60: this is what tells the worker's beats from those of a page's timer.
    expect(await page.run('countTimers(3000)')).toBeLessThan(10)
    expect(beatsWithin(sidecar, hidden, hidden + 3000).length).toBeGreaterThanOrEqual(8)
    expect(await page.run('heldBack()')).toEqual([])
  })

  test('a heartbeat rests with a page that is left and may come back, and goes on at once when it does', async () => {
    const { sidecar, url } = await serveHeart('through a gateway', game)
    const page = await browser.open(url)
    await page.run('startHeart({ interval: 250 })')
    await page.page.goto('about:blank')
    const left = Date.now()
    await whileAway()
    const back = Date.now()
    // A page that goes at once may not get to answer.
    await page.run('void setTimeout(() => history.back())')
    await firstBeatSince(sidecar, back)
    expect(beatsWithin(sidecar, left + LATE, back)).toEqual([])
  })

  // In Firefox nothing that a test could ask for freezes a page.
  if (browser.name !== 'Chromium') return
  test('a heartbeat stops with a page that is frozen, and goes on when it thaws', async () => {
    const { sidecar, url } = await serveHeart('from another origin', game)
    const page = await browser.open(url)
    await page.run('startHeart({ interval: 250 })')
    const devtools = await page.page.createCDPSession()
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' })
    const frozen = Date.now()
    await whileAway()
    const thawed = Date.now()
    await devtools.send('Page.setWebLifecycleState', { state: 'active' })
    await firstBeatSince(sidecar, thawed)
    expect(beatsWithin(sidecar, frozen + LATE, thawed)).toEqual([])
  })
})

inEachBrowser((browser) => {
  test("a heartbeat goes by a worker's clock, and no worker is left after close()", async () => {
    const { sidecar, url } = await serveHeart('through a gateway', game)
    const page = await browser.open(url)
    expect(await page.run('beatByWorker(4)')).toEqual({
      beats: [true, true, true, true],
      workers: [1, 0],
      lastBeat: true,
    })
    expect(beatsOf(sidecar).length).toBeGreaterThanOrEqual(4)
  })

  test('a heartbeat comes from the page where its policy forbids workers from blobs, which status tells', async () => {
    const { sidecar, url } = await serveHeartElsewhere(game, { 'content-security-policy': "worker-src 'none'" })
    const page = await browser.open(url)
    expect(await page.run('startHeartWithoutWorker({ interval: 250 }, 4)')).toBe('page')
    expect(beatsOf(sidecar).length).toBeGreaterThanOrEqual(4)
  })
})
