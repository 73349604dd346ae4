import { expect, onTestFinished, test, vi } from 'vitest'
import { createClient, type ClientOptions, type GameServer } from '../../src/index.js'
import { gameServer } from '../support/game-server.js'
import { blackHole, following, opened, sending, answering } from '../support/fault-server-steps.js'
import { type Rule, type Step, startScripted } from '../support/fault-server.js'
import { connectClient, startSidecar } from '../support/with-sidecar.js'
import { watching, type Watching } from './clients.js'

/** What a sidecar does about a watch over WebSocket; over the stream it is honest. */
const overWebSocket = (step: Step): Rule[] => [
  { on: 'watch', step: (exchange) => (exchange.request.isUpgrade ? step(exchange) : following(exchange)) },
]
const openAndGone: Step = opened((exchange) => exchange.break('finish'))
const refusing: Step = (exchange) => exchange.reply({ status: 503 })
const openAndSilent: Step = opened(blackHole)
const oneObject: Step = sending([gameServer(1)], (exchange) => exchange.break('finish'))
class FailingWebSocket {
  constructor() {
    throw new Error('not here')
  }
}
const everyOther = (nth: number): boolean => nth % 2 === 1

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
])('the watch goes over the stream within 5 s where the WebSocket %s', async (_what, step, watches, reason) => {
  const all = await watching(overWebSocket(step), { random: () => 1 })
  const start = all.clock.now()
  await all.passUntil(all.isConnected)
  expect(all.clock.now() - start).toBeLessThan(5000)
  expect(all.watches()).toBe(watches)
  expect(all.client.status).toMatchObject({ transport: 'stream', reason: expect.stringMatching(reason) })
  expect(all.errors).toEqual([])
})

test.each([
  ['cannot be opened', FailingWebSocket as never, /\w/],
  ['does not exist', undefined, /WebSocket/],
])('the watch goes over the stream where a WebSocket %s', async (_what, WebSocket, reason) => {
  vi.stubGlobal('WebSocket', WebSocket)
  onTestFinished(() => void vi.unstubAllGlobals())
  const client = createClient({ baseUrl: (await startScripted()).url })
  onTestFinished(() => client.close())
  await client.waitFor('Ready')
  while (client.status.transport === undefined) await client.once('connection')
  expect(client.status).toMatchObject({ transport: 'stream', reason: expect.stringMatching(reason) })
})

const websocket = { watch: 'websocket' } as const

test('with watch: websocket there is no fallback; connections that end before each object cause one LIMIT error', async () => {
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

const statuses = [400, 404, 408, 409, 501]
const refused = (status: number, until: number): Rule[] => [
  { on: 'watch', nth: (nth) => nth > 1 && nth < until, step: (exchange) => exchange.reply({ status }) },
]

test.each(
  statuses.flatMap((status) => (['websocket', 'stream', 'auto'] as const).map((watch) => [status, watch] as const)),
)(
  'a watch that has shown a GameServer is opened again after four answers %i over %s, which are told once',
  async (status, watch) => {
    const all = await watching([{ on: 'watch', nth: 1, step: oneObject }, ...refused(status, 6)], { watch })
    await all.passUntil(() => all.watches().length === 6 && all.isConnected())
    all.sidecar.publish(gameServer(2))
    await all.seen(2)
    expect(all.errors.length).toBe(watch === 'websocket' ? 0 : 1)
    expect(all.connections.map(({ state }) => state)).not.toContain('failed')
  },
)

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

/** A client whose watch over the stream has just been established; `checks` counts the reads from then on. */
async function watched(
  options: ClientOptions,
  rules: readonly Rule[] = [],
): Promise<Watching & { checks(): number; count(): number }> {
  const all = await watching(rules, { watch: 'stream', ...options })
  await all.until(all.isConnected, 'the watch')
  return Object.assign(all, { checks: () => all.reads() - 1, count: () => all.watches().length })
}

const reading = (body: string, nth?: number): Rule => ({
  on: 'GET /gameserver',
  ...(nth === undefined ? {} : { nth }),
  step: answering({ body }),
})

test('the watch is checked 100 ms after its begin, and no more with verifyInterval: 0', async () => {
  const { pass, checks } = await watched({})
  await pass(80)
  expect(checks()).toBe(0)
  await pass(200)
  expect(checks()).toBe(1)
  await pass(3000)
  expect(checks()).toBe(1)
})

test('the watch is checked each verifyInterval in which it was quiet', async () => {
  const { sidecar, pass, checks, seen } = await watched({ verifyInterval: 1000 })
  await pass(300)
  await pass(1000)
  expect(checks()).toBe(2)
  await pass(500)
  sidecar.publish(gameServer(2))
  await seen(2)
  await pass(700)
  expect(checks()).toBe(2)
  await pass(500)
  expect(checks()).toBe(3)
})

test('a change that a check finds is told after half a second, and the watch is opened anew', async () => {
  const all = await watched({ verifyInterval: 1000 }, [{ on: 'watch', nth: 1, step: sending([gameServer(1)]) }])
  all.sidecar.publish(gameServer(2))
  await all.pass(500)
  expect(all.checks()).toBe(1)
  expect(all.versions).toEqual(['1'])
  await all.pass(400)
  expect(all.versions).toEqual(['1', '2'])
  expect(all.count()).toBe(2)
  all.sidecar.publish(gameServer(3))
  await all.seen(3)
  expect(all.errors).toEqual([])
})

test('a change that a check finds and the watch tells in time is told once, on the same watch', async () => {
  const all = await watched({ verifyInterval: 5000 }, [reading(JSON.stringify(gameServer(2)), 2)])
  await all.pass(300)
  expect(all.checks()).toBe(1)
  all.sidecar.publish(gameServer(2))
  await all.pass(1500)
  expect(all.versions).toEqual(['1', '2'])
  expect(all.count()).toBe(1)
  // It was talking: the check is made again once it is quiet.
  expect(all.checks()).toBe(2)
})

const plain = gameServer(1)
const counters = { rooms: { count: '1', capacity: '2' } }
test.each<[string, GameServer, number]>([
  ['a state alone', gameServer(1, { state: 'Allocated' }), 2],
  ['a label alone', gameServer(1, { labels: { a: 'b' } }), 2],
  // The watch of the sidecar's local mode says nothing of these, however often it is opened.
  ['a counter', gameServer(1, { counters }), 1],
])('%s that changes without a new version is found by a check', async (_what, after, watches) => {
  const all = await watched({ verifyInterval: 2000 }, [{ on: 'watch', nth: 1, step: sending([plain]) }])
  all.sidecar.publish(after)
  await all.pass(5000)
  expect(all.gameServers).toEqual([plain, after])
  expect(all.count()).toBe(watches)
})

const failing: Rule = { on: 'GET /gameserver', nth: 1, step: answering({ status: 503 }) }

test('a check that finds nobody ends the watch half a second later', async () => {
  const all = await watched({})
  all.sidecar.play([failing])
  await all.pass(500)
  expect(all.count()).toBe(1)
  await all.pass(500)
  expect(all.count()).toBe(2)
  expect(all.connections.map(({ state }) => state)).toContain('reconnecting')
  expect(all.errors).toEqual([])
})

test('failing checks cause one error until a check succeeds, and the watch goes on', async () => {
  const all = await watched({ verifyInterval: 1000 })
  const wrong = reading('no GameServer')
  all.sidecar.play([wrong])
  await all.pass(2500)
  expect(all.errors).toMatchObject([{ code: 'PROTOCOL', operation: 'watchGameServer' }])
  expect(all.checks()).toBeGreaterThan(1)
  all.sidecar.play([])
  await all.pass(1500)
  all.sidecar.play([wrong])
  await all.pass(2500)
  expect(all.errors.map(({ code }) => code)).toEqual(['PROTOCOL', 'PROTOCOL'])
  expect(all.count()).toBe(1)
  all.sidecar.publish(gameServer(2))
  await all.seen(2)
})

test.each(['websocket', 'stream', 'auto'] as const)(
  'a watch over %s that lasted is dialled again at once',
  async (watch) => {
    const all = await watching(
      [{ on: 'watch', nth: (nth) => nth < 4, step: sending([gameServer(1)], (exchange) => exchange.end()) }],
      { watch, random: () => 1 },
    )
    await all.passUntil(() => all.sidecar.followers > 0 && all.isConnected())
    await all.pass(6000)
    const lost = all.clock.now()
    await all.sidecar.stop()
    await all.sidecar.start()
    all.sidecar.publish(gameServer(3))
    await all.passUntil(() => all.versions.includes('3'))
    expect(all.clock.now() - lost).toBeLessThan(200)
  },
)

test('a watch that always ends for the same reason is one error until it was well', async () => {
  const tooLong = opened(async (exchange) => {
    await exchange.sendText(`{"result":"${'x'.repeat(5000)}"}`)
    await exchange.connection.gone
  })
  const rules: Rule[] = [{ on: 'watch', step: tooLong }]
  const all = await watching(rules, { watch: 'stream', limits: { message: 4000 } })
  const codes = (): string[] => all.errors.map(({ code }) => code)
  await all.passUntil(() => all.watches().length >= 4)
  expect(codes()).toEqual(['LIMIT'])
  all.sidecar.play([{ on: 'watch', nth: 1, step: following }, ...rules])
  await all.passUntil(() => all.sidecar.followers === 1 && all.isConnected())
  await all.sidecar.stop()
  await all.sidecar.start()
  await all.passUntil(() => codes().length > 1)
  const watches = all.watches().length
  await all.passUntil(() => all.watches().length > watches + 2)
  expect(codes()).toEqual(['LIMIT', 'LIMIT'])
})

test('in Node, limits.message of one client is not the limit of another', async () => {
  const gameServer = { metadata: { annotations: { long: 'x'.repeat(5000) } } }
  const sidecar = await startSidecar({ gameServer })
  const small = connectClient(sidecar, { watch: 'websocket', limits: { message: 1000 }, logger: {} })
  small.on('gameserver', () => {})
  const { code, cause } = await small.once('error')
  expect([code, (cause as { code?: string }).code]).toEqual(['LIMIT', 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'])
  const other = connectClient(sidecar, { watch: 'websocket' })
  await new Promise((resolve, reject) => {
    other.on('connection', ({ transport }) => transport && resolve(transport))
    other.on('error', reject)
    other.on('gameserver', () => {})
  })
})
