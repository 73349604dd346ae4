import { expect, test } from 'vitest'
import type { SidecarClient } from '../../src/index.js'
import { countDials } from '../faults/count-dials.js'
import { hurried } from '../faults/manual-clock.js'
import { observe } from '../faults/observe.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { good, ignore, searching } from './told-answers.js'

/** Requests a second, besides beats, that a client may make in the long run. */
const MOST = 2

test.each<[string, (client: SidecarClient) => void]>([
  ['alone', () => {}],
  ['beside a watch', (client) => void client.on('gameserver', () => {})],
  ['beside calls', (client) => [client.getCounter('a'), client.setLabel('a', 'b')].forEach(ignore)],
])('beats %s dial ever less often where a sidecar answers reads and then refuses', async (_what, begin) => {
  const options = { autoHealth: true, watch: 'stream', retry: { timeout: 1e6 } } as const
  const { client, answer, asked, paths, pass } = searching(options)
  answer((path) => (path === '/gameserver' ? good : 'refused'))
  begin(client)
  await pass(30_000)
  const late = asked.flatMap((at, index) => (at >= 10_000 ? [paths[index]!] : []))
  expect(late.length).toBeGreaterThan(0)
  expect(late.filter((path) => path !== '/health').length / 20).toBeLessThanOrEqual(MOST)
  // Half of a period of 5 s.
  expect(late.filter((path) => path === '/health').length / 20).toBeLessThanOrEqual(1)
})

test.each(['websocket', 'stream', 'auto'] as const)(
  'a sidecar that dies after each answer or object over %s is dialled ever less often',
  async (watch) => {
    const clock = hurried(20)
    const sidecar = await startScripted([
      {
        on: '*',
        step: async (exchange) => {
          const { path } = exchange.request
          if (path === '/watch/gameserver') {
            await exchange.open()
            await exchange.send(exchange.gameServer)
          } else await exchange.reply(path === '/gameserver' ? { body: JSON.stringify(exchange.gameServer) } : {})
          await sidecar.stop()
          clock.options.scheduler.setTimeout(() => void sidecar.start(), 100)
        },
      },
    ])
    const { dials, options } = countDials(clock.now)
    const { client } = observe({
      ...options,
      ...clock.options,
      random: () => 0.5,
      baseUrl: sidecar.url,
      watch,
      autoHealth: true,
    })
    ignore(client.ready())
    const start = clock.now()
    await clock.pass(20_000)
    client.close()
    const late = dials.filter((at) => at >= start + 10_000).length
    expect(late).toBeGreaterThan(0)
    expect(late / 10).toBeLessThanOrEqual(MOST + 1)
  },
)
