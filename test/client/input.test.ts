import { describe, expect, test } from 'vitest'
import { createClient, type ClientOptions, type SidecarError, type SidecarClient } from '../../src/index.js'
import { createClient as createNodeClient } from '../../src/index.node.js'
import { gameServer } from '../support/game-server.js'
import { answering } from '../support/fault-server-steps.js'
import { type SeenRequest, startScripted } from '../support/fault-server.js'
import { connectClient } from '../support/with-sidecar.js'
import { expectBrief, refusedBy } from './operations.js'
import { searching } from './clients.js'

/** Options that `createClient` refuses, and what its message must name: the option, and the value or group. */
const wrongOptions: readonly (readonly [what: string, options: unknown, ...named: string[]])[] = [
  ['a text', 'http://127.0.0.1:9358', '9358'],
  ['a retry that is true', { retry: true }, 'retry', 'true'],
  ['limits that are text', { limits: 'none' }, 'limits', 'none'],
  ['an autoHealth that is text', { autoHealth: 'yes' }, 'autoHealth', 'yes'],
  ['a platform with a space', { platform: 'x y' }, 'platform', 'x y'],
  ['an option that does not exist', { xyz: 1 }, 'xyz'],
  ['a negative timeout', { timeout: -5 }, 'timeout', '-5'],
  ['a timeout that is text', { timeout: '5000' }, 'timeout', '5000'],
  ['a verifyInterval that is no number', { verifyInterval: NaN }, 'verifyInterval', 'NaN'],
  ['a factor that is text', { retry: { factor: 'z' } }, 'factor', 'z'],
  ['a limit of null', { limits: { body: null } }, 'body', 'null'],
  ['an interval that is text', { autoHealth: { interval: 'x' } }, 'interval', 'x'],
  ['a watch that does not exist', { watch: 5 }, 'watch', '5'],
]

/** Misspelt options, and the name that was meant. */
const misspeltOptions: readonly (readonly [options: object, given: string, meant: string])[] = [
  [{ port: 9358 }, 'port', 'baseUrl'],
  [{ autohealth: true }, 'autohealth', 'autoHealth'],
  [{ baseURL: '9358' }, 'baseURL', 'baseUrl'],
  [{ processSignal: true }, 'processSignal', 'processSignals'],
  [{ autoHealth: { chekc: () => true } }, 'chekc', 'check'],
  [{ retry: { timeOut: 1 } }, 'timeOut', 'timeout'],
  [{ int64: 'bigInt' }, 'bigInt', 'bigint'],
  [{ watch: 'websockets' }, 'websockets', 'websocket'],
  [{ crossOrigin: 'nevr' }, 'nevr', 'never'],
]

const baseUrl = 'http://127.0.0.1:1'

/** The error of a client with these options, and an address unless they have one. */
function refusing(options: unknown, create: typeof createClient = createClient): SidecarError {
  const given = typeof options === 'object' ? { baseUrl, ...options } : options
  const error = refusedBy(() => create(given as ClientOptions))
  expectBrief(error)
  return error
}

test.each(wrongOptions)('createClient() refuses %s with CONFIG', (_what, options, ...named) => {
  const error = refusing(options)
  expect(error).toMatchObject({ name: 'SidecarError', code: 'CONFIG' })
  for (const name of named) expect(error.message).toContain(name)
})

test.each(misspeltOptions)('createClient() refuses %o: for "%s" the hint names %s', (options, given, meant) => {
  for (const create of [createClient, createNodeClient]) {
    const error = refusing(options, create)
    expect(error).toMatchObject({ name: 'SidecarError', code: 'CONFIG', message: expect.stringContaining(given) })
    expect(error.hint).toMatch(new RegExp(`mean \\W?${meant}\\b`))
  }
})

test.each([
  [{ timeout: 0 }, 'processSignals.timeout'],
  [{ timeout: NaN }, 'processSignals.timeout'],
  [{ onsignal: () => {} }, 'onSignal'],
])('createClient() for Node refuses processSignals of %o with CONFIG', (processSignals, named) => {
  expect(refusing({ processSignals }, createNodeClient)).toMatchObject({
    code: 'CONFIG',
    message: expect.stringContaining(named),
  })
})

test.each<ClientOptions>([
  { int64: 'bigint', watch: 'stream', crossOrigin: 'direct' },
  { timeout: Infinity, verifyInterval: 0, retry: { timeout: Infinity, initialDelay: 0 }, autoHealth: { interval: 0 } },
])('createClient() takes %o', (options) => {
  createClient({ baseUrl, ...options }).close()
})

test.each([{ xyz: 1 }, { retry: { xyz: 1 } }])('nothing is suggested for %o', (options) => {
  expect(refusing(options).hint ?? '').not.toMatch(/\bmean\b/)
})

const nothing = (...names: string[]): object => Object.fromEntries(names.map((name) => [name, undefined]))

test('retry: the first delay is 250 ms, then 1.6 times as long each, and a call gives up after a minute', async () => {
  const { client, asked, pass } = searching({ retry: nothing('initialDelay', 'factor', 'maxDelay', 'timeout') })
  const given = client.getGameServer().catch((error: unknown) => (error as SidecarError).code)
  await pass(3000)
  expect(asked).toEqual([0, 250, 650, 1300, 2350])
  await pass(56_950)
  expect(await Promise.race([given, Promise.resolve('waiting')])).toBe('waiting')
  await pass(50)
  expect(await given).toBe('TIMEOUT')
})

test('limits.body: an answer of 17 MiB is LIMIT', async () => {
  const body = JSON.stringify(gameServer(1)).padEnd(17 * 1024 * 1024)
  const sidecar = await startScripted([{ on: 'GET /gameserver', step: answering({ body }) }])
  await expect(connectClient(sidecar, { limits: nothing('body') }).getGameServer()).rejects.toMatchObject({
    code: 'LIMIT',
  })
})

test('in Node without an address the error names the variable and exec, and nothing of pages', () => {
  expect(() => createNodeClient()).toThrow(
    expect.objectContaining({
      code: 'CONFIG',
      message: expect.stringMatching(/(?=.*AGONES_SDK_HTTP_PORT)(?=.*\bexec\b)(?!.*data-port)/s),
    }),
  )
})

type Attempt = (client: SidecarClient) => unknown
const any = (value: unknown): never => value as never
const first = async (client: SidecarClient, options: object): Promise<unknown> =>
  client.watchGameServer(options)[Symbol.asyncIterator]().next()

/** Arguments that a method refuses, and the argument or name that its message must name. */
const wrongArguments: readonly (readonly [operation: string, what: string, named: string, call: Attempt])[] = [
  ['setLabel', 'an empty key', 'key', (c) => c.setLabel('', 'v')],
  ['setLabel', 'a key with a slash', 'key', (c) => c.setLabel('a/b', 'v')],
  ['setLabel', 'a key of 60 characters', 'key', (c) => c.setLabel('k'.repeat(60), 'v')],
  ['setLabel', 'a value of 64 characters', 'value', (c) => c.setLabel('a', 'v'.repeat(64))],
  ['setLabel', 'a value that is a number', 'value', (c) => c.setLabel('a', any(1))],
  ['reserve', 'half a second', 'seconds', (c) => c.reserve(0.5)],
  ['getCounter', 'a name with a slash', 'key', (c) => c.getCounter('a/b')],
  ['getCounter', 'half a surrogate pair', 'key', (c) => c.getCounter('\ud800')],
  ['getList', 'a name of one dot', 'key', (c) => c.getList('.')],
  ['updateCounter', 'an empty update', 'update', (c) => c.updateCounter('a', {})],
  ['updateCounter', 'an inexact number', 'count', (c) => c.updateCounter('a', { count: 2 ** 53 })],
  ['updateCounter', 'a bare object', 'capacity', (c) => c.updateCounter('a', { capacity: any(Object.create(null)) })],
  ['updateList', 'values that are numbers', 'values', (c) => c.updateList('a', { values: [any(1)] })],
  ['on', 'an event that does not exist', 'xyz', async (c) => c.on(any('xyz'), () => {})],
  ['on', 'no listener', 'listener', async (c) => c.on('state', any(undefined))],
  ['setLabel', 'force', 'force', (c) => c.setLabel('a', 'b', any({ force: true }))],
  ['health', 'confirm', 'confirm', (c) => c.health(any({ confirm: true }))],
  ['updateCounter', 'confirm', 'confirm', (c) => c.updateCounter('a', { count: 1 }, any({ confirm: true }))],
  ['removeListValue', 'confirm', 'confirm', (c) => c.removeListValue('a', 'b', any({ confirm: true }))],
  ['getGameServer', 'force', 'force', (c) => c.getGameServer(any({ force: true }))],
  ['waitFor', 'confirm', 'confirm', (c) => c.waitFor('Ready', any({ confirm: true }))],
  ['watchGameServer', 'options that are a number', '7', (c) => first(c, any(7))],
]

/** Misspelt names in a call, and the name that was meant. */
const misspeltNames: readonly (readonly [operation: string, given: string, meant: string, call: Attempt])[] = [
  ['ready', 'confrim', 'confirm', (c) => c.ready(any({ confrim: true }))],
  ['watchGameServer', 'signals', 'signal', (c) => first(c, { signals: 5 })],
  ['updateCounter', 'capcity', 'capacity', (c) => c.updateCounter('a', any({ count: 1, capcity: 5 }))],
  ['once', 'erorr', 'error', (c) => c.once(any('erorr'))],
  ['waitFor', 'ready', 'Ready', (c) => c.waitFor(any('ready'))],
]

type Call = (client: SidecarClient) => Promise<unknown>

/** The error of a call that must not be sent. */
async function refusingCall(call: (client: SidecarClient) => unknown): Promise<SidecarError> {
  const { client, asked } = searching()
  const error: unknown = await (async () => call(client))().then(
    () => expect.fail('it was taken'),
    (reason: unknown) => reason,
  )
  expect(asked).toEqual([])
  expectBrief(error as SidecarError)
  return error as SidecarError
}

test.each(wrongArguments)('%s() refuses %s with INVALID_ARGUMENT', async (operation, _what, named, call) => {
  expect(await refusingCall(call)).toMatchObject({
    name: 'SidecarError',
    code: 'INVALID_ARGUMENT',
    operation,
    message: expect.stringContaining(named),
  })
})

test.each(misspeltNames)('%s() refuses "%s": the hint names %s', async (operation, given, meant, call) => {
  expect(await refusingCall(call)).toMatchObject({
    code: 'INVALID_ARGUMENT',
    operation,
    message: expect.stringContaining(given),
    hint: expect.stringMatching(new RegExp(`mean \\W?${meant}\\b`)),
  })
})

test('waitFor() takes a function for a state of a newer platform, whose name it refuses', async () => {
  const sidecar = await startScripted()
  sidecar.publish(gameServer(1, { state: 'Draining' }))
  const client = connectClient(sidecar)
  expect((await client.waitFor(({ status }) => status.state === 'Draining')).status.state).toBe('Draining')
  await expect(client.waitFor('Draining')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
})

/** What one call sends. */
async function sentBy(call: Call): Promise<readonly SeenRequest[]> {
  const body = '{"name":"rooms","count":"1","capacity":"2","values":[]}'
  const sidecar = await startScripted([{ on: '*', step: answering({ body }) }])
  await call(connectClient(sidecar, { retry: false }))
  return sidecar.requests
}

describe('an argument at its limit', () => {
  test.each<[string, Call, object]>([
    ['a label key of 59 characters', (c) => c.setLabel('k'.repeat(59), 'v'), { key: 'k'.repeat(59), value: 'v' }],
    ['an empty label', (c) => c.setLabel('k', ''), { key: 'k', value: '' }],
    ['a label of 63 characters', (c) => c.setLabel('k', 'v'.repeat(63)), { key: 'k', value: 'v'.repeat(63) }],
    ['an empty annotation', (c) => c.setAnnotation('k', ''), { key: 'k', value: '' }],
    ['a reservation without an end', (c) => c.reserve(0), { seconds: '0' }],
    ['the longest reservation', (c) => c.reserve(9223372036), { seconds: '9223372036' }],
    ['an empty list value', (c) => c.addListValue('x', ''), { value: '' }],
  ])('%s is sent as it is', async (_what, call, body) => {
    const [request] = await sentBy(call)
    expect(JSON.parse(request!.body)).toMatchObject(body)
  })

  test('updateCounter() sends only the fields that are given', async () => {
    const [request] = await sentBy((c) => c.updateCounter('x', { count: 1, capacity: undefined!, countDiff: 2 }))
    expect(request!.body).toBe('{"count":"1","countDiff":"2"}')
  })
})

test.each([
  ['...', '...'],
  ['..a', '..a'],
  ['a b?#%', 'a%20b%3F%23%25'],
  ['ä', '%C3%A4'],
  ['$&', '%24%26'],
])('a counter may be called "%s"', async (name, encoded) => {
  const requests = await sentBy((client) => client.getCounter(name))
  expect(requests.map(({ path }) => path)).toEqual([`/v1beta1/counters/${encoded}`])
})
