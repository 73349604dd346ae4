import { describe, expect, onTestFinished, test } from 'vitest'
import { createGateway } from '../../src/node/index.js'
import { gameServer } from '../hosts/support/sidecar.js'
import { untilLogged } from '../support/with-sidecar.js'
import type { Sidecar } from '../../src/sidecar/index.js'
import { inDrivenBrowsers, inEachBrowser, type DrivenPage } from './support/each-browser.js'
import { buildGame, sidecarQuery } from './support/game.js'
import { startOpenSidecar } from './support/open-sidecar.js'
import { servePages } from './support/page-server.js'

const game = buildGame()

interface Place {
  sidecar: Sidecar
  url: string
}

/** A page that beats, of the sidecar's own origin or of another one. */
const places: Readonly<Record<string, (headers?: Readonly<Record<string, string>>) => Promise<Place>>> = {
  async 'through a gateway'() {
    const gateway = await createGateway({ dir: game, local: { mode: 'local', gameServer } })
    onTestFinished(() => gateway.close())
    return { sidecar: gateway.local!.sidecar, url: `${gateway.url}/heart.html` }
  },
  async 'from another origin'(headers) {
    const { sidecar, url } = await startOpenSidecar({ mode: 'local', gameServer })
    const pages = await servePages(game, headers)
    return { sidecar, url: pages.url(`heart.html${sidecarQuery(url)}`) }
  },
}

const isCall = (name: string) => ({ event }: ReturnType<Sidecar['log']['entries']>[number]): boolean =>
  event.type === 'call' && event.call.operation === name

/** When beats came, ms since the Unix epoch: the clock that a page has too. */
const beatsOf = (sidecar: Sidecar): number[] => sidecar.log.entries().filter(isCall('health')).map(({ at }) => at)

const within = (times: number[], from: number, to: number): number[] => times.filter((at) => at >= from && at < to)

const untilBeats = (sidecar: Sidecar, count: number): Promise<void> =>
  untilLogged({ sidecar }, () => beatsOf(sidecar).length >= count)

const STALL_TIMEOUT = 3000
/** How much later than it should something may happen on a busy machine. */
const LATE = 1500

/** Ends a page that can't come back. Of one that is closed, Firefox sometimes sends no last word. */
async function leaveForGood({ page, run }: DrivenPage, name: string): Promise<void> {
  if (name === 'Chromium') return page.close()
  await run(`addEventListener('unload', () => {})`)
  await page.goto('about:blank')
}

describe.each(Object.keys(places))('a heartbeat %s', (place) => {
  // In WebKit a worker's requests wait for the page's thread.
  inDrivenBrowsers((browser) => {
    test('goes on while the page is busy for 2 s', async () => {
      const { sidecar, url } = await places[place]!()
      const page = await browser.open(url)
      await page.run('startHeart({ interval: 500 })')
      const { from, to } = await page.run<{ from: number; to: number }>('block(2000)')
      expect(within(beatsOf(sidecar), from, to).length).toBeGreaterThanOrEqual(2)
      expect(await page.run('heldBack()')).toEqual([])
    })

    test('stops behind a page that is busy for 10 s, and goes on with it', async () => {
      const { sidecar, url } = await places[place]!()
      const page = await browser.open(url)
      await page.run('startHeart({ interval: 500 })')
      const { from, to } = await page.run<{ from: number; to: number }>('block(10_000)')
      const beats = beatsOf(sidecar)
      expect(within(beats, from, from + STALL_TIMEOUT).length).toBeGreaterThanOrEqual(3)
      expect(within(beats, from + STALL_TIMEOUT + LATE, to)).toEqual([])
      await untilLogged({ sidecar }, () => beatsOf(sidecar).some((at) => at >= to))
      expect(beatsOf(sidecar).find((at) => at >= to)! - to).toBeLessThan(LATE)
      expect(await page.run('heldBack()')).toContainEqual(expect.objectContaining({ reason: 'stalled' }))
    })

    test('goes on in a page that another one hides, whose own timers are slowed down', async () => {
      const { sidecar, url } = await places[place]!()
      const page = await browser.open(url)
      await page.run('startHeart({ interval: 250 })')
      await browser.openInFront(page, 'about:blank')
      const hidden = await page.run<number>('untilHidden()')
      // Unhidden it would be 60: this is what tells the worker's beats from those of a page's timer.
      expect(await page.run('countTimers(3000)')).toBeLessThan(10)
      expect(within(beatsOf(sidecar), hidden, hidden + 3000).length).toBeGreaterThanOrEqual(8)
      expect(await page.run('heldBack()')).toEqual([])
    })

    test('stops when the game no longer says that it is alive, and goes on when it does', async () => {
      const { sidecar, url } = await places[place]!()
      const page = await browser.open(url)
      await page.run('startHeart({ interval: 250, stallTimeout: 1000 })')
      await page.run('startLoop()')
      await untilBeats(sidecar, 8)
      expect(await page.run('heldBack()')).toEqual([])
      const dead = await page.run<number>('stopLoop()')
      await page.run('untilStalled()')
      const held = Date.now()
      expect(within(beatsOf(sidecar), dead, dead + 1000).length).toBeGreaterThanOrEqual(2)
      await page.run('rest(1500)')
      expect(within(beatsOf(sidecar), held + LATE / 2, Infinity)).toEqual([])
      await page.run('startLoop()')
      await untilBeats(sidecar, beatsOf(sidecar).length + 4)
    })

    test('beats a last time when its page is left, and shuts nothing down', async () => {
      const { sidecar, url } = await places[place]!()
      const page = await browser.open(url)
      await page.run('startHeart({ interval: 60_000 }, {}, 1)')
      const before = beatsOf(sidecar).length
      await page.page.goto('about:blank')
      await untilBeats(sidecar, before + 1)
      expect(sidecar.log.entries().filter(isCall('shutdown'))).toEqual([])
    })

    test('rests with a page that is left and may come back, and goes on at once when it does', async () => {
      const { sidecar, url } = await places[place]!()
      const page = await browser.open(url)
      await page.run('startHeart({ interval: 250 })')
      await page.page.goto('about:blank')
      const left = Date.now()
      await new Promise((resolve) => setTimeout(resolve, 3000))
      const back = Date.now()
      await page.run('history.back()')
      await untilLogged({ sidecar }, () => beatsOf(sidecar).some((at) => at >= back))
      expect(within(beatsOf(sidecar), left + LATE, back)).toEqual([])
    })

    test('beats a last time when its page is left for good, and shuts down once if it is told to', async () => {
      const { sidecar, url } = await places[place]!()
      const page = await browser.open(url)
      await page.run('startHeart({ interval: 60_000 }, { shutdownOnPageHide: true }, 1)')
      const before = beatsOf(sidecar).length
      await leaveForGood(page, browser.name)
      await untilLogged({ sidecar }, () => sidecar.log.entries().some(isCall('shutdown')))
      await untilBeats(sidecar, before + 1)
      expect(sidecar.log.entries().filter(isCall('shutdown')).length).toBe(1)
    })

    test('comes from the page where its policy forbids workers from blobs, which status tells', async () => {
      const { sidecar, url } = await places['from another origin']!({ 'content-security-policy': "worker-src 'none'" })
      const page = await browser.open(url)
      expect(await page.run('startHeartWithoutWorker({ interval: 250 }, 4)')).toBe('page')
      expect(beatsOf(sidecar).length).toBeGreaterThanOrEqual(4)
    })

    if (browser.name === 'Chromium') {
      test('stops with a page that is frozen, and goes on at once when it thaws', async () => {
        const { sidecar, url } = await places[place]!()
        const page = await browser.open(url)
        await page.run('startHeart({ interval: 250 })')
        const devtools = await page.page.createCDPSession()
        await devtools.send('Page.setWebLifecycleState', { state: 'frozen' })
        const frozen = Date.now()
        await new Promise((resolve) => setTimeout(resolve, 3000))
        const thawed = Date.now()
        await devtools.send('Page.setWebLifecycleState', { state: 'active' })
        expect(within(beatsOf(sidecar), frozen + LATE, thawed)).toEqual([])
        await untilLogged({ sidecar }, () => beatsOf(sidecar).some((at) => at >= thawed))
      })
    }
  })
})

inEachBrowser((browser) => {
  test('beats go by a worker\'s clock, and no worker is left after close()', async () => {
    const { sidecar, url } = await places['through a gateway']!()
    const page = await browser.open(url.replace('heart.html', 'umd.html'))
    expect(await page.run('beatByWorker(4)')).toEqual({
      beats: [true, true, true, true],
      workers: [1, 0],
      lastBeat: true,
    })
    expect(beatsOf(sidecar).length).toBeGreaterThanOrEqual(4)
  })
})
