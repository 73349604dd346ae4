import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createWebSocketClass } from '../../src/frames/index.js'
import { createClient } from '../../src/index.js'
import { nodeConnect } from '../../src/node/node-connect.js'
import type { Rule, Step } from '../support/fault-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { blackHole, following, opened, sending } from '../support/fault-server-steps.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient, startSidecar } from '../support/with-sidecar.js'
import { watching, type Watching } from './watching.js'

/** What a sidecar does about a watch over WebSocket; over the stream it is honest. */
const overWebSocket = (step: Step): Rule[] => [
  { on: 'watch', step: (exchange) => (exchange.request.isUpgrade ? step(exchange) : following(exchange)) },
]
const openAndGone: Step = opened((exchange) => exchange.break('finish'))
const refusing: Step = (exchange) => exchange.reply({ status: 503 })
const openAndSilent: Step = opened(blackHole)
const oneObject: Step = sending([gameServer(1)], (exchange) => exchange.break('finish'))
const everyOther = (nth: number): boolean => nth % 2 === 1

describe('watch: auto', () => {
  test.each<[string, Rule[], string]>([
    ['works', [], 'w'],
    ['failed once', [{ on: 'watch', nth: 1, step: openAndGone }], 'ww'],
    [
      'failed, worked and failed once',
      [
        { on: 'watch', nth: everyOther, step: openAndGone },
        { on: 'watch', nth: 2, step: oneObject },
      ],
      'wwww',
    ],
  ])('the watch goes over the WebSocket that %s', async (_what, rules, watches) => {
    const all = await watching(rules)
    await all.passUntil(() => all.watches() === watches && all.isConnected())
    expect(all.client.status).toMatchObject({ connection: 'connected', transport: 'websocket', reason: undefined })
    await all.pass(100)
    expect(all.watches()).toBe(watches)
  })

  test.each([
    ['opens and ends twice', openAndGone, 'wws', /WebSocket/],
    ['is refused twice', refusing, 'wws', /WebSocket|503/],
    ['opens and is silent', openAndSilent, 'ws', /\d ms/],
  ])('the watch goes over the stream where the WebSocket %s', async (_what, step, watches, reason) => {
    const all = await watching(overWebSocket(step))
    await all.passUntil(all.isConnected)
    expect(all.watches()).toBe(watches)
    expect(all.client.status).toMatchObject({ transport: 'stream', reason: expect.stringMatching(reason) })
    expect(all.errors).toEqual([])
  })

  test('the watch goes over the stream where no WebSocket can be opened', async () => {
    const failing = class {
      constructor() {
        throw new Error('not here')
      }
    }
    const all = await watching([], { WebSocket: failing as never })
    await all.passUntil(all.isConnected)
    expect(all.watches()).toBe('s')
  })

  test('the watch goes over the stream where there is no WebSocket, which is the reason', async () => {
    vi.stubGlobal('WebSocket', undefined)
    onTestFinished(() => void vi.unstubAllGlobals())
    const client = createClient({ baseUrl: (await startScripted()).url })
    onTestFinished(() => client.close())
    await client.waitFor('Ready')
    while (client.status.transport === undefined) await client.once('connection')
    expect(client.status).toMatchObject({ transport: 'stream', reason: expect.stringContaining('WebSocket') })
  })
})

test('with watch: stream the watch goes over the stream, without a reason', async () => {
  const all = await watching([], { watch: 'stream' })
  await all.passUntil(all.isConnected)
  expect(all.watches()).toBe('s')
  expect(all.client.status).toMatchObject({ transport: 'stream', reason: undefined })
})

describe('watch: websocket', () => {
  const websocket = { watch: 'websocket' } as const

  test('with watch: websocket nothing else is tried, and ends before each object are one LIMIT error', async () => {
    const all = await watching(overWebSocket(openAndGone), websocket)
    await all.passUntil(() => all.watches() === 'wwwww')
    expect(all.errors).toMatchObject([{ code: 'LIMIT', operation: 'watchGameServer' }])
  })

  test.each<[string, Rule[], 'websocket' | 'stream']>([
    ['refusals over the WebSocket', overWebSocket(refusing), 'websocket'],
    [
      'an end before an object once in a while',
      [
        { on: 'watch', nth: everyOther, step: openAndGone },
        { on: 'watch', step: oneObject },
      ],
      'websocket',
    ],
    ['streams that end before each object', [{ on: 'watch', step: openAndGone }], 'stream'],
  ])('%s are no error', async (_what, rules, watch) => {
    const all = await watching(rules, { watch })
    await all.passUntil(() => all.watches().length === 4)
    expect(all.errors).toEqual([])
  })

  test('with watch: websocket the first object may take as long as the timeout', async () => {
    const all = await watching(overWebSocket(openAndSilent), { ...websocket, timeout: 5000 })
    await all.passUntil(() => all.watches() === 'w')
    await all.pass(4800)
    expect(all.watches()).toBe('w')
    await all.passUntil(() => all.watches() === 'ww')
  })
})

describe('a message of the watch', () => {
  const told = async (text: string): Promise<Watching> => {
    const step = opened(async (exchange) => {
      await exchange.sendText(text)
      await exchange.send(gameServer(2))
      await exchange.connection.gone
    })
    const all = await watching([
      { on: 'watch', nth: 1, step },
      { on: 'watch', step: sending([gameServer(3)]) },
    ])
    await all.passUntil(() => all.versions.includes('2') || all.versions.includes('3'))
    return all
  }

  test('a message that makes no sense is quoted up to 1,024 characters', async () => {
    const { errors } = await told('x'.repeat(5000))
    expect(errors[0]!.message.match(/x{9,}/)![0]).toHaveLength(1024)
  })

  test.each([
    ['{"error":{"code":8,"message":"not found: a"}}', 'NOT_FOUND'],
    ['{"code":2,"message":"not found: a"}', 'NOT_FOUND'],
    ['{"error":"no"}', 'UNKNOWN'],
  ])('the message %s ends the connection with %s', async (text, code) => {
    const { errors, versions } = await told(text)
    expect(versions).not.toContain('2')
    expect(errors).toMatchObject([{ code, operation: 'watchGameServer' }])
  })
})

test('the WebSocket class of ./frames carries the watch over a raw TCP socket', async () => {
  const sidecar = await startSidecar()
  let opened = 0
  const WebSocket = createWebSocketClass((target) => {
    opened++
    return nodeConnect(target)
  })
  const client = connectClient(sidecar, { WebSocket, watch: 'websocket' })
  await client.setAnnotation('map', 'größe 😀', { confirm: true })
  expect(client.status).toMatchObject({ connection: 'connected', transport: 'websocket' })
  expect(opened).toBe(1)
  await sidecar.restart()
  sidecar.control({ type: 'allocate', force: true })
  await client.waitFor('Allocated')
  expect(opened).toBeGreaterThan(1)
})
