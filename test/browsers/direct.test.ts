import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { gameServer } from '../hosts/support/sidecar.js'
import { calls, untilLogged } from '../support/with-sidecar.js'
import { directOutcome, directWrites, writes } from './support/direct-outcome.js'
import { inEachBrowser } from './support/each-browser.js'
import { buildGame, sidecarQuery } from './support/game.js'
import { startOpenSidecar } from './support/open-sidecar.js'
import { servePages } from './support/page-server.js'
import { againstRealSidecar } from './support/real.js'

const game = buildGame()

/** A page with a build, from one of the origins that a game may be developed on. */
const places = [
  ['umd', 'http://127.0.0.1'],
  ['esm', 'http://localhost'],
  ['umd', 'file://'],
] as const

async function addressOf(build: string, place: string, sidecar: string): Promise<string> {
  const path = `${build}.html${sidecarQuery(sidecar)}`
  if (place === 'file://') return pathToFileURL(join(game, '/')).href + path
  return (await servePages(game)).url(path, place.replace('http://', ''))
}

inEachBrowser((browser) => {
  describe('before a sidecar that knows no origins', () => {
    test.each([...places.map((place) => [...place, 'local'] as const), [...places[1], 'production'] as const])(
      'a page with the %s build on %s does 11 of 15 operations once, in %s mode',
      async (...given) => {
        const [build, place, mode] = given
        const { url, sidecar } = await startOpenSidecar({ mode, gameServer })
        const page = await browser.open(await addressOf(build, place, url))
        expect(await page.run('playDirect()')).toEqual(directOutcome)
        expect(writes(sidecar)).toEqual(directWrites)
      },
    )
  })

  againstRealSidecar((start) => {
    test.each(places)('a page with the %s build on %s does 11 of 15 operations', async (build, place) => {
      const { url } = await start()
      const page = await browser.open(await addressOf(build, place, url))
      expect(await page.run('playDirect()')).toEqual(directOutcome)
    })

    test('the page of the README needs no more than its script tag', async () => {
      const { url } = await start()
      const page = await browser.open((await servePages(game)).url(`drop-in.html${sidecarQuery(url)}`))
      expect(await page.run('untilReady()')).toEqual(['Scheduled', 'Ready'])
    })
  })

  test('the page of the README needs no more than its script tag to get events and to beat', async () => {
    const { url, sidecar } = await startOpenSidecar({ mode: 'production', gameServer })
    const page = await browser.open((await servePages(game)).url(`drop-in.html${sidecarQuery(url)}`))
    expect(await page.run('untilReady()')).toEqual(['Scheduled', 'RequestReady', 'Ready'])
    await untilLogged({ sidecar }, () => calls({ sidecar }).filter((name) => name === 'health').length >= 2)
    expect(calls({ sidecar }).filter((name) => name === 'ready')).toEqual(['ready'])
  })

  test('what no browser lets through is refused at once, and nothing is sent for that', async () => {
    const { url, sidecar } = await startOpenSidecar({ mode: 'local', gameServer })
    const page = await browser.open(await addressOf('umd', 'http://127.0.0.1', url))
    expect(await page.run('tryRefused()')).toEqual({
      codes: ['CROSS_ORIGIN', 'CROSS_ORIGIN', 'CROSS_ORIGIN', 'CROSS_ORIGIN'],
      asked: [],
    })
    expect(writes(sidecar)).toEqual([])
  })

  test('a page that is never to be direct is told so, and nothing that it writes is sent', async () => {
    const { url, sidecar } = await startOpenSidecar({ mode: 'local', gameServer })
    const page = await browser.open(await addressOf('umd', 'http://127.0.0.1', url))
    expect(await page.run(`tryAsStranger({ crossOrigin: 'never' })`)).toMatchObject({
      codes: { connect: 'CROSS_ORIGIN', getGameServer: 'CROSS_ORIGIN', shutdown: 'CROSS_ORIGIN' },
    })
    expect(writes(sidecar)).toEqual([])
  })

  test('a page may be told to be direct from the start', async () => {
    const { url, sidecar } = await startOpenSidecar({ mode: 'local', gameServer })
    const page = await browser.open(await addressOf('umd', 'http://127.0.0.1', url))
    expect(await page.run(`playDirect({ crossOrigin: 'direct' })`)).toEqual(directOutcome)
    expect(writes(sidecar)).toEqual(directWrites)
  })
})
