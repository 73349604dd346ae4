import { describe, expect, onTestFinished, test } from 'vitest'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/node/index.js'
import { expectAllOperations, expectedOutcome, gameServer } from '../hosts/support/sidecar.js'
import { calls } from '../support/with-sidecar.js'
import { inEachBrowser } from './support/each-browser.js'
import { buildGame } from './support/game.js'
import { againstRealSidecar } from './support/real.js'

const game = buildGame()
const watches = ['websocket', 'stream'] as const
const builds = ['umd', 'esm'] as const
const pairs = builds.flatMap((build) => watches.map((watch) => [build, watch] as const))

/** A gateway in front of the game, and of a sidecar inside unless another one is named; ended with the test. */
async function serveGame(options: GatewayOptions): Promise<Gateway> {
  const gateway = await createGateway({ dir: game, onWarning: () => {}, ...options })
  onTestFinished(() => gateway.close())
  return gateway
}

inEachBrowser((browser) => {
  describe('a page of a gateway, which is told nothing,', () => {
    test.each(pairs)('does all operations with the %s build and watches by %s', async (build, watch) => {
      const gateway = await serveGame({ local: { mode: 'local', gameServer } })
      const page = await browser.open(`${gateway.url}/${build}.html`)
      expectAllOperations(await page.run(`play({ watch: '${watch}' })`), watch, gateway.local!)
    })

    test('does all operations before a sidecar in production mode', async () => {
      const gateway = await serveGame({ local: { mode: 'production', gameServer } })
      const page = await browser.open(`${gateway.url}/umd.html`)
      expectAllOperations(await page.run('play()'), 'websocket', gateway.local!)
    })

    test.each(watches)('is told by a %s of what it does', async (watch) => {
      const gateway = await serveGame({ local: { mode: 'production', gameServer } })
      const page = await browser.open(`${gateway.url}/umd.html`)
      expect(await page.run(`followEvents({ watch: '${watch}' })`)).toEqual({
        states: ['Scheduled', 'RequestReady', 'Ready'],
        told: { label: 'hafen', counter: 3 },
        direct: false,
        outcome: 'accepted',
        transport: watch,
        connection: 'closed',
      })
    })

    test.each(watches)('hears by a %s that the gateway stops', async (watch) => {
      const gateway = await serveGame({ local: { mode: 'local', gameServer } })
      const page = await browser.open(`${gateway.url}/umd.html`)
      await page.run(`listenForSignal({ watch: '${watch}' })`)
      await gateway.close('SIGTERM')
      expect(await page.run('signalled')).toEqual(['SIGTERM'])
    })

    test.each(watches)('may still shut down when it hears by a %s that the gateway stops', async (watch) => {
      const gateway = await serveGame({ local: { mode: 'local', gameServer } })
      const page = await browser.open(`${gateway.url}/umd.html`)
      await page.run(`shutDownAtSignal({ watch: '${watch}' })`)
      const closed = gateway.close('SIGTERM')
      expect(await page.run('shutDown')).toBe('accepted')
      await closed
      expect(calls(gateway.local!)).toContain('shutdown')
    })

    test('beats by itself if the gateway says so', async () => {
      const gateway = await serveGame({ autoHealth: true, local: { mode: 'local', gameServer } })
      const page = await browser.open(`${gateway.url}/umd.html`)
      expect(await page.run('firstBeats(2)')).toEqual([true, true])
      expect(calls(gateway.local!).filter((name) => name === 'health').length).toBeGreaterThanOrEqual(2)
    })

    test('may have shared memory if the gateway isolates it, and does all operations', async () => {
      const gateway = await serveGame({ isolate: true, local: { mode: 'local', gameServer } })
      const page = await browser.open(`${gateway.url}/umd.html`)
      // WebKitGTK calls the page isolated and has no SharedArrayBuffer all the same.
      const memory = browser.name === 'WebKit' ? 'undefined' : 'function'
      expect(await page.run('[crossOriginIsolated, typeof SharedArrayBuffer]')).toEqual([true, memory])
      expectAllOperations(await page.run('play()'), 'websocket', gateway.local!)
    })

    describe.each(['dedicated', 'shared'])('in a %s worker', (kind) => {
      test.each([
        ['umd', 'stream'],
        ['esm', 'websocket'],
      ] as const)('does all operations with the %s build and watches by %s', async (build, watch) => {
        const gateway = await serveGame({ local: { mode: 'local', gameServer } })
        const page = await browser.open(`${gateway.url}/workers.html?gateway`)
        const outcome = await page.run(`runInWorker('${kind}', '${build}', 'play', { watch: '${watch}' })`)
        expectAllOperations(outcome, watch, gateway.local!)
      })
    })

    againstRealSidecar((start) => {
      test.each(pairs)('does all operations with the %s build and watches by %s', async (build, watch) => {
        const { url } = await start()
        const gateway = await serveGame({ sidecar: url })
        const page = await browser.open(`${gateway.url}/${build}.html`)
        expect(await page.run(`play({ watch: '${watch}' })`)).toEqual(expectedOutcome(watch))
      })
    })
  })
})
