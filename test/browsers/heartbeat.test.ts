import { describe, expect, onTestFinished, test } from 'vitest'
import { createGateway } from '../../src/node/index.js'
import { gameServer } from '../hosts/support/sidecar.js'
import { untilLogged } from '../support/with-sidecar.js'
import type { Sidecar } from '../../src/sidecar/index.js'
import { inDrivenBrowsers, inEachBrowser } from './support/each-browser.js'
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

const STALL_TIMEOUT = 3000
/** How much later than it should something may happen on a busy machine. */
const LATE = 1500

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
