import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { sidecarPlugin, type ColyseusServer, type SidecarPluginOptions } from '../../src/players/colyseus.js'
import type { HealthEvent } from '../../src/index.js'
import { createMock } from '../../src/platform/mock.js'
import { folderOf } from './support/colyseus-game.js'

const fakeServer = (): ColyseusServer => ({
  define: () => ({}),
  listen: () => Promise.resolve(),
  gracefullyShutdown: () => Promise.resolve(),
})
const matchMaker = {
  state: 0,
  getHandler: () => ({}),
  getAllHandlers: () => ({}),
  handleCreateRoom: () => Promise.resolve({ roomId: 'one' }),
  controller: { invokeMethod: () => Promise.resolve() },
}

describe('sidecarPlugin refuses with the fix', () => {
  const good = { matchMaker }
  const ends = new AbortController()
  afterAll(() => ends.abort())
  const far = { ...good, client: { baseUrl: 'http://127.0.0.1:1', autoHealth: false, signal: ends.signal } }
  const anotherCopy = existsSync(join(folderOf('0.17'), 'node_modules/@colyseus/core'))

  test.each<[string, unknown, unknown, RegExp]>([
    ['a missing server', undefined, good, /^server must be a Colyseus Server/],
    ['an http.Server', { listen() {}, close() {} }, good, /^server must be a Colyseus Server/],
    ['missing options', fakeServer(), undefined, /^matchMaker must be imported from where Server is/],
    [
      'the matchMaker of Colyseus 0.16',
      fakeServer(),
      { matchMaker: { ...matchMaker, getAllHandlers: undefined } },
      /^matchMaker must be imported from where Server is, from Colyseus 0\.17 or later/,
    ],
    [
      'a misspelt option',
      fakeServer(),
      { ...good, matchmaker: matchMaker },
      /^There is no option "matchmaker"\. Did you mean "matchMaker"\?/,
    ],
    [
      'an invalid option of the sessions',
      fakeServer(),
      { ...far, sessions: { counters: 'a' } },
      /Did you mean "counter"\?/,
    ],
  ])('%s', (_, server, options, message) => {
    const start = () => sidecarPlugin(server as ColyseusServer, options as SidecarPluginOptions)
    expect(start).toThrow(
      expect.objectContaining({ code: 'CONFIG', message: expect.stringMatching(message) as string }),
    )
  })

  test.runIf(anotherCopy)('the matchMaker of another copy of Colyseus', () => {
    const core = createRequire(join(folderOf('0.17'), 'package.json'))('@colyseus/core') as SidecarPluginOptions
    expect(() => sidecarPlugin(fakeServer(), { matchMaker: core.matchMaker })).toThrow(/imported from where Server is/)
  })
})

test('beats are held back while the event loop is late, even though all of its timers run', async () => {
  const mock = createMock({ gameServer: { spec: { health: { periodSeconds: 2, failureThreshold: 30 } } } })
  onTestFinished(() => mock.close())
  let late = 0
  const { scheduler } = mock.options
  const { client, close } = sidecarPlugin(fakeServer(), {
    matchMaker,
    players: false,
    client: {
      ...mock.options,
      scheduler: {
        setTimeout: (run, ms) => scheduler.setTimeout(run, ms + late),
        clearTimeout: (id) => scheduler.clearTimeout(id),
      },
    },
  })
  onTestFinished(close)
  const reports: HealthEvent[] = []
  client.on('health', (event) => reports.push(event))
  const beats = (): number => mock.calls.filter(({ operation }) => operation === 'health').length

  await mock.advance(5000)
  expect(beats()).toBeGreaterThan(0)
  expect(reports.every(({ ok }) => ok)).toBe(true)

  late = 1800
  await mock.advance(5000)
  const before = beats()
  await mock.advance(20_000)
  expect(beats()).toBe(before)
  expect(reports.at(-1)).toMatchObject({ ok: false, reason: 'check() said no' })

  late = 100
  await mock.advance(10_000)
  expect(beats()).toBeGreaterThan(before)
})
