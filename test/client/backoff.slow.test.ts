import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../../src/index.node.js'
import { countDials } from '../faults/count-dials.js'
import { hurried } from '../faults/manual-clock.js'
import { observe } from '../faults/observe.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { answering, sending } from '../support/fault-server-steps.js'
import type { Step } from '../support/fault-server.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { emulateBrowser } from './emulated-browser-fetch.js'

/** A second takes 50 ms. */
const clock = hurried(20)
/** The middle of what jitter makes of a delay. */
const random = (): number => 0.5

const endings: [string, Step][] = [
  ['ends the watch', (exchange) => exchange.end()],
  ['resets the connection', (exchange) => exchange.break('reset')],
]

describe.each(['websocket', 'stream', 'auto'] as const)('over %s', (watch) => {
  test.each(endings)('a sidecar that sends one object and %s is dialled less and less', async (_what, then) => {
    const sidecar = await startScripted([{ on: 'watch', step: sending([gameServer(1)], then) }])
    const { dials, options } = countDials(clock.now)
    const { client, gameServers } = observe({ ...options, ...clock.options, random, baseUrl: sidecar.url, watch })
    const start = clock.now()
    await clock.pass(10_000)
    const watches = sidecar.requests.filter(({ path }) => path === '/watch/gameserver').length
    const inFirstSeconds = dials.length
    await clock.pass(20_000)
    client.close()
    const later = dials.filter((at) => at >= start + 10_000).length
    expect(watches).toBeGreaterThan(3)
    expect(watches).toBeLessThanOrEqual(25)
    expect(inFirstSeconds).toBeLessThanOrEqual(40)
    expect(later / 20).toBeLessThanOrEqual(2)
    expect(gameServers).toHaveLength(1)
  })

  test('a watch that lasted is dialled again at once, also after others that did not last', async () => {
    const sidecar = await startScripted([
      { on: 'watch', nth: (nth) => nth < 10, step: sending([gameServer(1)], (exchange) => exchange.end()) },
    ])
    const { dials, options } = countDials(clock.now)
    const { client, seen } = observe({ ...options, ...clock.options, random, baseUrl: sidecar.url, watch })
    await sidecar.until(() => sidecar.followers > 0, 'a watch that lasts')
    sidecar.publish(gameServer(2))
    await seen(2)
    await clock.pass(60_000)
    const before = dials.length
    const lost = clock.now()
    await sidecar.stop()
    await sidecar.start()
    sidecar.publish(gameServer(3))
    await seen(3)
    client.close()
    expect(dials.length).toBeGreaterThan(before)
    expect(dials[before]! - lost).toBeLessThan(2000)
  })
})

describe('a page of another origin that is refused everywhere', () => {
  const pageOrigin = 'http://game.example'

  test.each(['auto', 'never', 'direct'] as const)(
    'with crossOrigin %s, asks at most twice a second besides its beats',
    async (crossOrigin) => {
      vi.stubGlobal('location', { origin: pageOrigin, search: '' })
      onTestFinished(() => void vi.unstubAllGlobals())
      const sidecar = await startScripted([
        { on: '*', step: answering({ status: 403, body: '{"code":7,"message":"no"}' }) },
      ])
      const { fetch } = emulateBrowser(pageOrigin)
      const options = { ...clock.options, random, baseUrl: sidecar.url, fetch, crossOrigin, autoHealth: true }
      const client = createClient(options)
      onTestFinished(() => client.close())
      client.on('gameserver', () => {})
      const questions = (): number => sidecar.requests.filter(({ path }) => path !== '/health').length
      await clock.pass(10_000)
      const [before, all] = [questions(), sidecar.requests.length]
      await clock.pass(30_000)
      expect((questions() - before) / 30).toBeLessThanOrEqual(2)
      expect((sidecar.requests.length - all) / 30).toBeLessThanOrEqual(3)
      expect(questions() - before).toBeGreaterThan(2)
    },
  )
})
