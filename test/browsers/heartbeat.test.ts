import { describe, expect, test } from 'vitest'
import { inDrivenBrowsers, inEachBrowser } from './support/each-browser.js'
import { buildGame } from './support/game.js'
import {
  beatsOf,
  beatsWithin,
  firstBeatSince,
  LATE,
  places,
  serveHeart,
  serveHeartElsewhere,
  untilBeats,
} from './support/heart.js'

const game = buildGame()

/** ms; what a client has if nothing else is said. */
const STALL_TIMEOUT = 3000

interface Busy {
  from: number
  to: number
}

// In WebKit a worker's requests wait for the page's thread.
inDrivenBrowsers((browser) => {
  describe.each(places)('a heartbeat %s', (place) => {
    test('begins with beats of which each goes well, once the sidecar has answered', async () => {
      const { url } = await serveHeart(place, game)
      const page = await browser.open(url)
      expect(await page.run('startHeart({ interval: 500 }, {}, 5)')).toEqual([])
    })

    test('goes on while the page is busy for 2 s', async () => {
      const { sidecar, url } = await serveHeart(place, game)
      const page = await browser.open(url)
      await page.run('startHeart({ interval: 500 })')
      const { from, to } = await page.run<Busy>('block(2000)')
      expect(beatsWithin(sidecar, from, to).length).toBeGreaterThanOrEqual(2)
      expect(await page.run('heldBack()')).toEqual([])
    })

    test('stops behind a page that is busy for 10 s, and goes on with it', async () => {
      const { sidecar, url } = await serveHeart(place, game)
      const page = await browser.open(url)
      await page.run('startHeart({ interval: 500 })')
      const { from, to } = await page.run<Busy>('block(10_000)')
      expect(beatsWithin(sidecar, from, from + STALL_TIMEOUT).length).toBeGreaterThanOrEqual(3)
      expect(beatsWithin(sidecar, from + STALL_TIMEOUT + LATE, to)).toEqual([])
      expect((await firstBeatSince(sidecar, to)) - to).toBeLessThan(LATE)
      expect(await page.run('heldBack()')).toContainEqual(expect.objectContaining({ reason: 'stalled' }))
    })

    test('goes on in a page that another one hides, whose own timers are slowed down', async () => {
      const { sidecar, url } = await serveHeart(place, game)
      const page = await browser.open(url)
      await page.run('startHeart({ interval: 250 })')
      await browser.openInFront(page, 'about:blank')
      const hidden = await page.run<number>('untilHidden()')
      // Unhidden it would be 60: this is what tells the worker's beats from those of a page's timer.
      expect(await page.run('countTimers(3000)')).toBeLessThan(10)
      expect(beatsWithin(sidecar, hidden, hidden + 3000).length).toBeGreaterThanOrEqual(8)
      expect(await page.run('heldBack()')).toEqual([])
    })

    test('stops when the game no longer says that it is alive, and goes on when it does', async () => {
      const { sidecar, url } = await serveHeart(place, game)
      const page = await browser.open(url)
      await page.run('startHeart({ interval: 250, stallTimeout: 1000 })')
      await page.run('startLoop()')
      await untilBeats(sidecar, 8)
      expect(await page.run('heldBack()')).toEqual([])
      const dead = await page.run<number>('stopLoop()')
      await page.run('untilStalled()')
      const held = Date.now()
      expect(beatsWithin(sidecar, dead, dead + 1000).length).toBeGreaterThanOrEqual(2)
      await page.run('rest(1500)')
      expect(beatsWithin(sidecar, held + LATE / 2, Infinity)).toEqual([])
      await page.run('startLoop()')
      await untilBeats(sidecar, beatsOf(sidecar).length + 4)
    })
  })
})

inEachBrowser((browser) => {
  test("a heartbeat goes by a worker's clock, and no worker is left after close()", async () => {
    const { sidecar, url } = await serveHeart('through a gateway', game)
    const page = await browser.open(url.replace('heart.html', 'umd.html'))
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
