import { describe, expect, test } from 'vitest'
import type { SidecarClient } from '../../src/index.js'
import { createScriptedSidecar, type Rule } from '../support/fault-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import * as steps from '../support/fault-server-steps.js'
import { hurried } from './manual-clock.js'
import { observe } from './observe.js'

/** A minute takes three seconds; seconds below are the client's own. The sidecar's health period is 5 s. */
const clock = hurried(20)
const period = 5
const minute = 60

/** Calls one after the other for as long as the test lasts, whatever becomes of them. */
const keepCalling =
  (call: (client: SidecarClient) => Promise<unknown>) =>
  async (client: SidecarClient): Promise<void> => {
    while (client.status.connection !== 'closed') {
      await call(client).catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

const outages: readonly (readonly [string, readonly Rule[], ((client: SidecarClient) => Promise<void>)?])[] = [
  ['the watch is reset at once', [{ on: 'watch', step: steps.breaking('reset') }]],
  ['the watch is never answered', [{ on: 'watch', step: steps.blackHole }]],
  ['the watch stalls after its first object', [{ on: 'watch', step: steps.sending([gameServer(1)]) }]],
  ['the watch comes byte by byte', [{ on: 'watch', step: steps.byteByByte(steps.following) }]],
  ['checks by GET are never answered', [{ on: 'GET /gameserver', nth: (nth) => nth > 2, step: steps.blackHole }]],
  [
    'commands fail',
    [{ on: 'PUT /metadata/label', step: steps.answering({ status: 500, body: '{"code":2,"message":"no"}' }) }],
    keepCalling((client) => client.setLabel('a', 'b')),
  ],
  [
    'commands are never answered',
    [{ on: 'POST /ready', step: steps.blackHole }],
    keepCalling((client) => client.ready({ timeout: 3000 })),
  ],
  [
    'list writes are held for seconds',
    [
      {
        on: 'POST /v1beta1/lists/rooms:addValue',
        step: async (exchange) => {
          await clock.pass(8000)
          await exchange.reply({ body: '{"name":"rooms","capacity":"10","values":["a"]}' })
        },
      },
    ],
    keepCalling((client) => client.addListValue('rooms', 'a')),
  ],
  ['every third beat is lost', [{ on: 'POST /health', nth: (nth) => nth % 3 === 0, step: steps.blackHole }]],
  ['every third beat is reset', [{ on: 'POST /health', nth: (nth) => nth % 3 === 0, step: steps.breaking('reset') }]],
]

describe.concurrent('no health period is missed in a minute in which', () => {
  test.each(
    outages.flatMap(([name, rules, act]) =>
      (['websocket', 'stream'] as const).map((mode) => [mode, name, rules, act] as const),
    ),
  )('over %s no health period is missed while %s', async (watch, _name, rules, act) => {
    const beats: number[] = []
    const beating: Rule = {
      on: 'POST /health',
      step: (exchange) => {
        beats.push(clock.now() / 1000)
        return exchange.reply()
      },
    }
    const sidecar = await createScriptedSidecar([...rules, beating])
    const { client } = observe({ ...clock.options, baseUrl: sidecar.url, watch, autoHealth: true })
    const acting = act?.(client)
    await sidecar.until(() => beats.length > 0, 'the first beat')
    await clock.pass(minute * 1000)
    client.close()
    await acting
    const gaps = beats.map((beat, index) => beat - (beats[index - 1] ?? beat))
    // Beats are half a period apart; next to one that was lost, the gap is as long as the period, and never longer.
    expect(Math.max(...gaps)).toBeLessThan(period + 0.5)
    expect(beats.length).toBeGreaterThan(minute / period)
    await sidecar.close()
  })
})

describe.concurrent('beats', () => {
  test('one beat goes out the moment the sidecar is back after an outage', async () => {
    const sidecar = await createScriptedSidecar()
    const { client, until, beats } = observe({
      ...clock.options,
      baseUrl: sidecar.url,
      autoHealth: { interval: 20_000 },
    })
    await until(() => beats.some(({ ok }) => ok), 'a beat')
    await sidecar.stop()
    await until(() => beats.at(-1)?.ok === false, 'a beat that fails')
    const before = beats.filter(({ ok }) => ok).length
    await sidecar.start()
    const back = clock.now()
    await until(() => beats.filter(({ ok }) => ok).length > before, 'the next good beat')
    expect(clock.now() - back).toBeLessThan(10_000)
    await clock.pass(5000)
    expect(beats.filter(({ ok }) => ok).length).toBe(before + 1)
    client.close()
    await sidecar.close()
  })

  test('at most one beat is in flight beside the next, however long nobody answers', async () => {
    let most = 0
    let now = 0
    const sidecar = await createScriptedSidecar([
      {
        on: 'POST /health',
        step: async (exchange) => {
          now += 1
          most = Math.max(most, now)
          await exchange.connection.gone
          now -= 1
        },
      },
    ])
    const { client } = observe({ ...clock.options, baseUrl: sidecar.url, autoHealth: { interval: 1000 } })
    await sidecar.until(() => sidecar.requests.filter(({ path }) => path === '/health').length > 10, 'ten beats')
    expect(most).toBeLessThanOrEqual(2)
    client.close()
    await sidecar.untilNoSockets()
    await sidecar.close()
  })
})
