import { describe, expect, test } from 'vitest'
import { createScriptedSidecar, type Rule } from '../support/fault-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import * as steps from '../support/fault-server-steps.js'
import { countDials } from './count-dials.js'
import { hurried } from './manual-clock.js'
import { observe } from './observe.js'

const modes = ['websocket', 'stream', 'auto'] as const
/** Waits of minutes take seconds; what is told of time below is the client's own clock. */
const clock = hurried(10)

const forEver: readonly (readonly [string, readonly Rule[] | 'refused'])[] = [
  ['nobody listens', 'refused'],
  ['every connection is reset at accept', [{ on: 'connection', accept: (connection) => connection.reset() }]],
  ['every request is answered with RST', [{ on: '*', step: steps.breaking('reset') }]],
  ['every request is answered 503', [{ on: '*', step: steps.answering({ status: 503 }) }]],
  ['every watch ends before its first object', [{ on: 'watch', step: steps.opened((exchange) => exchange.end()) }]],
  [
    'every watch ends right after its first object',
    [{ on: 'watch', step: steps.sending([gameServer(1)], (exchange) => exchange.end()) }],
  ],
]

describe.concurrent('a dial that fails is not tried more often than promised while', () => {
  test.each(forEver.flatMap(([name, rules]) => modes.map((mode) => [mode, name, rules] as const)))(
    'over %s a failed dial is not repeated more often than promised while %s',
    async (mode, _name, rules) => {
      const sidecar = await createScriptedSidecar(rules === 'refused' ? [] : rules)
      if (rules === 'refused') await sidecar.stop()
      const { dials, options } = countDials(clock.now)
      const { client } = observe({ ...options, ...clock.options, baseUrl: sidecar.url, watch: mode })
      const seconds = 30
      await clock.pass(seconds * 1000)
      client.close()
      expect(steps.busiestSecond(dials)).toBeLessThanOrEqual(10)
      if (rules === 'refused') expect(dials.length / seconds).toBeLessThanOrEqual(2)
      expect(dials.length).toBeGreaterThan(3)
      await sidecar.close()
    },
  )
})

describe.concurrent('with all defaults', () => {
  test.each(modes)(
    'over %s a connection that is black-holed is noticed within 15 s, and reported once',
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

  test.each([
    ['upgrades are refused', (upgraded: boolean) => (upgraded ? steps.answering({ status: 403 }) : steps.following)],
    [
      'upgrades succeed and no frame comes',
      (upgraded: boolean) => (upgraded ? steps.stallingAfterHead : steps.following),
    ],
    [
      'sockets end before an object',
      (upgraded: boolean) => (upgraded ? steps.opened((exchange) => exchange.break('finish')) : steps.following),
    ],
  ] as const)('auto falls back to the stream within 5 s when %s', async (_name, stepFor) => {
    const sidecar = await createScriptedSidecar([
      { on: 'watch', step: (exchange) => stepFor(exchange.request.isUpgrade)(exchange) },
    ])
    const start = clock.now()
    const { client, until, seen } = observe({ ...clock.options, baseUrl: sidecar.url })
    await until(() => client.status.transport === 'stream' && client.status.connection === 'connected', 'the stream')
    await seen(1)
    expect(clock.now() - start).toBeLessThan(5500)
    expect(client.status.reason).toBeTruthy()
    client.close()
    await sidecar.close()
  })
})
