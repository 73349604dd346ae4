import { expect, test } from 'vitest'
import { countDials } from '../faults/counted.js'
import { hurried } from '../support/virtual-clock.js'
import { observe } from '../faults/observe.js'
import { gameServer } from '../support/game-server.js'
import { sending } from '../support/fault-server-steps.js'
import { startScripted } from '../support/fault-server.js'

/** A second takes 50 ms. */
const clock = hurried(20)
/** The middle of what jitter makes of a delay. */
const random = (): number => 0.5
const transports = ['websocket', 'stream', 'auto'] as const

test.each(transports)('a watch over %s that lasted is dialled again at once', async (watch) => {
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
