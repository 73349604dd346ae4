import { describe, expect, test } from 'vitest'
import { untilLogged } from '../support/with-sidecar.js'
import { inDrivenBrowsers, type DrivenPage } from './support/each-browser.js'
import { buildGame } from './support/game.js'
import { beatsOf, beatsWithin, firstBeatSince, LATE, places, serveHeart, timesOf, untilBeats } from './support/heart.js'

const game = buildGame()

/** ms for which a page isn't there */
const AWAY = 3000
const whileAway = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, AWAY))

/** Two ways to end a page that can't come back. */
const ends: Readonly<Record<string, (page: DrivenPage) => Promise<void>>> = {
  closed: ({ page }) => page.close(),
  'left for good': async ({ page, run }) => {
    await run(`addEventListener('unload', () => {})`)
    await page.goto('about:blank')
  },
}

inDrivenBrowsers((browser) => {
  describe.each(places)('a heartbeat %s', (place) => {
    test('beats a last time when its page is left, and shuts nothing down', async () => {
      const { sidecar, url } = await serveHeart(place, game)
      const page = await browser.open(url)
      await page.run('startHeart({ interval: 60_000 }, {}, 1)')
      const before = beatsOf(sidecar).length
      await page.page.goto('about:blank')
      await untilBeats(sidecar, before + 1)
      expect(timesOf(sidecar, 'shutdown')).toEqual([])
    })

    test.each(Object.entries(ends))(
      'beats a last time when its page is %s, and shuts down once if it is told to',
      async (_end, end) => {
        const { sidecar, url } = await serveHeart(place, game)
        const page = await browser.open(url)
        await page.run('startHeart({ interval: 60_000 }, { shutdownOnPageHide: true }, 1)')
        const before = beatsOf(sidecar).length
        await end(page)
        await untilLogged({ sidecar }, () => timesOf(sidecar, 'shutdown').length > 0)
        await untilBeats(sidecar, before + 1)
        expect(timesOf(sidecar, 'shutdown').length).toBe(1)
      },
    )

    test('rests with a page that is left and may come back, and goes on at once when it does', async () => {
      const { sidecar, url } = await serveHeart(place, game)
      const page = await browser.open(url)
      await page.run('startHeart({ interval: 250 })')
      await page.page.goto('about:blank')
      const left = Date.now()
      await whileAway()
      const back = Date.now()
      await page.run('history.back()')
      await firstBeatSince(sidecar, back)
      expect(beatsWithin(sidecar, left + LATE, back)).toEqual([])
    })

    // In Firefox nothing that a test could ask for freezes a page.
    if (browser.name !== 'Chromium') return
    test('stops with a page that is frozen, and goes on when it thaws', async () => {
      const { sidecar, url } = await serveHeart(place, game)
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
})
