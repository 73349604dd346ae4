import { expect, test } from 'vitest'
import { createClient } from '../../src/index.node.js'
import type { SidecarClient } from '../../src/index.js'
import { createScriptedSidecar, type Rule } from '../support/fault-server.js'
import { gameServer } from '../support/game-server.js'
import * as steps from '../support/fault-server-steps.js'
import { hurried } from '../support/virtual-clock.js'
import { countDials, observe } from './observe.js'

// All seconds and minutes below are the client's own.
const clock = hurried(20)
const minute = 60_000
const modes = ['websocket', 'stream', 'auto'] as const

const forEver: readonly (readonly [string, readonly (typeof modes)[number][], readonly Rule[] | 'refused'])[] = [
  ['nobody listens', modes, 'refused'],
  ['every connection is reset at accept', ['auto'], [{ on: 'connection', accept: (connection) => connection.reset() }]],
  ['every request is answered with RST', ['websocket'], [{ on: '*', step: steps.breaking('reset') }]],
  ['every request is answered 503', ['stream'], [{ on: '*', step: steps.answering({ status: 503 }) }]],
  [
    'every watch ends before its first object',
    ['websocket', 'auto'],
    [{ on: 'watch', step: steps.opened((exchange) => exchange.end()) }],
  ],
  [
    'every watch ends right after its first object',
    ['websocket', 'stream'],
    [{ on: 'watch', step: steps.sending([gameServer(1)], (exchange) => exchange.end()) }],
  ],
]

test.concurrent.each(forEver.flatMap(([name, over, rules]) => over.map((mode) => [mode, name, rules] as const)))(
  'over %s a failed dial is repeated at most as often as promised while %s',
  async (mode, _name, rules) => {
    const sidecar = await createScriptedSidecar(rules === 'refused' ? [] : rules)
    if (rules === 'refused') await sidecar.stop()
    const { dials, options } = countDials(clock.now)
    const { client } = observe({ ...options, ...clock.options, baseUrl: sidecar.url, watch: mode })
    await clock.pass(30_000)
    client.close()
    expect(steps.busiestSecond(dials)).toBeLessThanOrEqual(10)
    if (rules === 'refused') expect(dials.length / 30).toBeLessThanOrEqual(2)
    expect(dials.length).toBeGreaterThan(3)
    await sidecar.close()
  },
)

test.concurrent.each(modes)(
  'over %s a black-holed connection is noticed within 15 s, and reported once',
  async (watch) => {
    const sidecar = await createScriptedSidecar()
    const { client, connections, until, seen } = observe({ ...clock.options, baseUrl: sidecar.url, watch })
    await seen(1)
    await until(() => client.status.connection === 'connected', 'a connection')
    const before = connections.length
    sidecar.play([{ on: '*', step: steps.blackHole }])
    const start = clock.now()
    await until(() => client.status.connection === 'reconnecting', 'the loss to be noticed')
    expect(clock.now() - start).toBeLessThan(16_000)
    expect(connections.slice(before).map(({ state }) => state)).toEqual(['reconnecting'])
    sidecar.play([])
    sidecar.publish(gameServer(2))
    await seen(2)
    client.close()
    await sidecar.untilNoSockets()
    await sidecar.close()
  },
)

/** The sidecar's health period in seconds. */
const period = 5

/** Makes calls in sequence for as long as the test lasts, whatever their outcome. */
const keepCalling =
  (call: (client: SidecarClient) => Promise<unknown>) =>
  async (client: SidecarClient): Promise<void> => {
    while (client.status.connection !== 'closed') {
      await call(client).catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

const both = ['websocket', 'stream'] as const
const outages: readonly (readonly [
  name: string,
  over: readonly ('websocket' | 'stream')[],
  rule: Rule,
  act?: (client: SidecarClient) => Promise<void>,
])[] = [
  ['the watch is never answered', both, { on: 'watch', step: steps.blackHole }],
  [
    'commands are never answered',
    ['websocket'],
    { on: 'POST /ready', step: steps.blackHole },
    keepCalling((client) => client.ready({ timeout: 3000 })),
  ],
  ['every third beat is lost', both, { on: 'POST /health', nth: (nth) => nth % 3 === 0, step: steps.blackHole }],
]

test.concurrent.each(
  outages.flatMap(([name, over, rule, act]) => over.map((mode) => [mode, name, rule, act] as const)),
)('over %s no health period is missed while %s', async (watch, _name, rule, act) => {
  const beats: number[] = []
  const beating: Rule = {
    on: 'POST /health',
    step: (exchange) => {
      beats.push(clock.now() / 1000)
      return exchange.reply()
    },
  }
  const sidecar = await createScriptedSidecar([rule, beating])
  const { client } = observe({ ...clock.options, baseUrl: sidecar.url, watch, autoHealth: true })
  const acting = act?.(client)
  await sidecar.until(() => beats.length > 0, 'the first beat')
  await clock.pass(minute / 2)
  client.close()
  await acting
  const gaps = beats.map((beat, index) => beat - (beats[index - 1] ?? beat))
  // Beats are half a period apart. A lost beat makes a gap as long as the period, and never longer.
  expect(Math.max(...gaps)).toBeLessThan(period + 0.5)
  expect(beats.length).toBeGreaterThan(30 / period)
  await sidecar.close()
})

/** Seconds between the answer with this header and the next request. */
async function pause(retryAfter: string | (() => string), status = 503): Promise<number> {
  const reads: number[] = []
  const sidecar = await createScriptedSidecar([
    {
      on: 'GET /gameserver',
      step: (exchange) => {
        reads.push(clock.now())
        const header = typeof retryAfter === 'string' ? retryAfter : retryAfter()
        return exchange.reply(
          exchange.nth === 2
            ? { status, headers: { 'retry-after': header } }
            : { body: JSON.stringify(exchange.gameServer) },
        )
      },
    },
  ])
  const client = createClient({ ...clock.options, baseUrl: sidecar.url, retry: { timeout: 120_000 } })
  try {
    await client.getGameServer()
    const [, refused = NaN, again = NaN] = reads
    return (again - refused) / 1000
  } finally {
    client.close()
    await sidecar.close()
  }
}

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString()

test.concurrent.each([503, 429])('Retry-After is honoured after %i, in seconds and as a date', async (status) => {
  expect(await pause('8', status)).toBeGreaterThanOrEqual(8)
  // In real seconds, of which a busy machine loses some before the client reads the header.
  expect(await pause(() => inSeconds(25), status)).toBeGreaterThanOrEqual(12)
})

test.concurrent.each(['3600', 'Fri, 31 Dec 9999 23:59:59 GMT'])('Retry-After %s counts as 30 s', async (retryAfter) => {
  const seconds = await pause(retryAfter)
  expect(seconds).toBeGreaterThanOrEqual(29)
  expect(seconds).toBeLessThan(40)
})

test.concurrent.each(['soon', '-1', '1e3', '0x10', '12 seconds', 'soon 2999', 'NaN', 'Infinity', '', inSeconds(-60)])(
  'Retry-After "%s" is ignored',
  async (retryAfter) => {
    expect(await pause(retryAfter)).toBeLessThan(7)
  },
)
