import { inspect } from 'node:util'
import { expect, test, afterEach, vi } from 'vitest'
import { createTextDecode } from '../../src/client/http.js'
import { SidecarError, type ClientOptions, type SidecarClient } from '../../src/index.js'
import { gameServer, difficultText } from '../support/game-server.js'
import { type Answer } from '../support/fault-server-bytes.js'
import { answering } from '../support/fault-server-steps.js'
import { startScripted } from '../support/fault-server.js'
import { connectClient } from '../support/with-sidecar.js'
import { expectBrief, refusal } from './operations.js'

type Call<T = unknown> = (client: SidecarClient) => Promise<T>

const update: Call = (client) => client.updateCounter('rooms', { count: 1 })
const read: Call = (client) => client.getGameServer()

/** The outcome of one call to a sidecar that answers every request the same way. */
async function answered<T>(answer: Answer, call: Call<T>, options: ClientOptions = {}): Promise<T> {
  const sidecar = await startScripted([{ on: '*', step: answering(answer) }])
  return call(connectClient(sidecar, { retry: false, ...options }))
}

const failureOf = (answer: Answer, call = update): Promise<SidecarError> =>
  answered(answer, call).then(
    () => expect.fail('it was a good answer'),
    (error: unknown) => error as SidecarError,
  )

test.each([
  ['no players for this', 'UNIMPLEMENTED'],
  ['invalid argument', 'INVALID_ARGUMENT'],
  ['already exists. Value: a already in List: players', 'ALREADY_EXISTS'],
  ['out of range. Count must be within range', 'OUT_OF_RANGE'],
  ['CountsAndLists not enabled', 'FEATURE_DISABLED'],
  ['not found: value a not in list players', 'NOT_FOUND'],
  ['counter not found: a', 'NOT_FOUND'],
  ['list not found: a', 'NOT_FOUND'],
  ['not found. Value: q not found in List: rooms', 'NOT_FOUND'],
  ['counter not found: a\n|14|', 'NOT_FOUND'],
  ['a list not found', 'UNKNOWN'],
  ['a already exists', 'UNKNOWN'],
  ['x: not found|14|500', 'UNKNOWN'],
])('500 "%s" is %s, by how the message begins', async (message, code) => {
  expect(await failureOf({ status: 500, body: refusal(message) })).toMatchObject({ code, operation: 'updateCounter' })
})

test("an error's message has no character that steers a terminal", async () => {
  const { message } = await failureOf({ status: 500, body: refusal('a\u001b[31m\u009b2Jb\n\u0000é\u4e2d') })
  expect(message).toBe('updateCounter: HTTP 500: a [31m 2Jb é\u4e2d')
})

test.each([
  [201, '{"count":"1"}', 'PROTOCOL'],
  [399, refusal('so'), 'PROTOCOL'],
  [400, '{"message":7}', 'PROTOCOL'],
  [401, refusal('so'), 'UNKNOWN'],
  [413, refusal('so', 8), 'LIMIT'],
  [413, refusal('so'), 'UNAVAILABLE'],
  [429, '', 'UNAVAILABLE'],
  [500, refusal('so', 14), 'UNAVAILABLE'],
  [500, '{"code":"14","message":"so"}', 'UNKNOWN'],
])('%i %s is %s', async (status, body, code) => {
  const error = await failureOf({ status, body })
  expect(error).toMatchObject({ code, status })
  expectBrief(error)
})

test('an error quotes the message of the sidecar, or what came instead, cut to 1,024 characters', async () => {
  expect((await failureOf({ status: 500, body: refusal('quite so') })).message).toContain('500: quite so')
  expect((await failureOf({ status: 500, body: '{"a":1}' })).message).toContain('{"a":1}')
  expect((await failureOf({ status: 500, body: 'x'.repeat(5000) })).message.match(/x+/)![0]).toHaveLength(1024)
})

test.each([
  ['a byte order mark', `\ufeff${JSON.stringify(gameServer(1))}`],
  ['space around it', ` \n${JSON.stringify(gameServer(1))}\r\n `],
])('a good answer may have %s', async (_what, body) => {
  expect(await answered({ body }, read)).toEqual(gameServer(1))
})

test('an answer to a read must be a GameServer, and one to a write may be any object', async () => {
  const answer = { body: '{"object_meta":{}}' }
  expect(await failureOf(answer, read)).toMatchObject({ code: 'PROTOCOL', status: 200 })
  expect(await answered(answer, (client) => client.allocate())).toBe('accepted')
})

test.each([
  [200, '{}', 'connected'],
  [404, '', 'connected'],
  [500, refusal('not found'), 'connected'],
  [503, '', 'idle'],
  [500, refusal('nobody', 14), 'idle'],
])('a client whose write was answered %i %s is %s', async (status, body, connection) => {
  const seen = await answered({ status, body }, async (client) => {
    await client.allocate().catch(() => {})
    return client.status.connection
  })
  expect(seen).toBe(connection)
})

const counter = (body: object, options?: ClientOptions) =>
  answered({ body: JSON.stringify(body) }, (client) => client.getCounter('a'), options)

test('getCounter() gives numbers, or bigints where the option says so', async () => {
  const raw = { name: 'other', count: '9007199254740991', capacity: 0 }
  expect(await counter(raw)).toEqual({ name: 'a', count: 9007199254740991, capacity: 0 })
  const large = { ...raw, count: '9223372036854775807' }
  expect(await counter(large, { int64: 'bigint' })).toEqual({ name: 'a', count: 9223372036854775807n, capacity: 0n })
})

test.each([
  ['9007199254740993', 'UNSAFE_INTEGER'],
  ['-9007199254740993', 'UNSAFE_INTEGER'],
  [1.5, 'PROTOCOL'],
  ['', 'PROTOCOL'],
  [null, 'PROTOCOL'],
  [{}, 'PROTOCOL'],
])('getCounter() with a count or capacity of %j is %s', async (count, code) => {
  const message: unknown = expect.stringMatching(code === 'PROTOCOL' ? 'not an integer' : `${count}.*bigint`)
  const refused = { code, operation: 'getCounter', message }
  await expect(counter({ count, capacity: '1' })).rejects.toMatchObject(refused)
  await expect(counter({ count: '1', capacity: count })).rejects.toMatchObject(refused)
})

const list = (values: unknown) =>
  answered({ body: JSON.stringify({ capacity: '2', values }) }, (client) => client.getList('a'))

test.each([[['b', '']], [undefined], [null]])('getList() answered %j gives a list', async (values) => {
  expect(await list(values)).toEqual({ name: 'a', capacity: 2, values: values ?? [] })
})

test.each([[{}], ['ab'], [['a', 1]], [7]])('getList() answered %j is PROTOCOL', async (values) => {
  await expect(list(values)).rejects.toMatchObject({
    code: 'PROTOCOL',
    operation: 'getList',
    message: expect.stringContaining('not a list'),
  })
})

afterEach(() => vi.unstubAllGlobals())

const withTextDecoder = (Decoder: unknown): void => void vi.stubGlobal('TextDecoder', Decoder)

test.each([
  ["the host's decoder", TextDecoder],
  ['a host without a TextDecoder', undefined],
])('bytes in pieces of any size are the same text, also of control characters, by %s', (_name, Decoder) => {
  withTextDecoder(Decoder)
  const content = `\ufeff${difficultText}\u0000\t\n\u000f\u0010\u007f`
  const bytes = new TextEncoder().encode(content)
  for (const size of [1, 2, 3, 4, 5, 7, 1000]) {
    const decode = createTextDecode({})
    let text = ''
    for (let at = 0; at < bytes.length; at += size) text += decode(bytes.slice(at, at + size))
    expect(text).toBe(content)
  }
  // A character comes as soon as its last byte is there.
  const decode = createTextDecode({})
  const [a, b, c, d] = new TextEncoder().encode('𝄞')
  expect(decode(Uint8Array.of(0x61, a!, b!, c!))).toBe('a')
  expect(decode(new Uint8Array(0))).toBe('')
  expect(decode(Uint8Array.of(d!, 0x62))).toBe('𝄞b')
})

test.each<[string, number[]]>([
  ['a byte that begins nothing', [0x61, 0xff, 0x61, 0x61, 0x61, 0x61]],
  ['four bytes that are no character', [0x80, 0x80, 0x80, 0x80]],
  ['a character that goes on as none', [0xe2, 0x82, 0x61, 0x61, 0x61]],
])('%s (%j) is PROTOCOL in a host without a TextDecoder', (_what, bytes) => {
  withTextDecoder(undefined)
  expect(() => createTextDecode({})(Uint8Array.from(bytes))).toThrow(expect.objectContaining({ code: 'PROTOCOL' }))
})

test('a printed error shows its code and its cause once, on at most 4 lines beside its stack', async () => {
  const linesOf = (error: unknown): string[] => inspect(error).split('\n')
  const isOwn = (line: string): boolean => line.trim() !== '' && !/^\s+at /.test(line)
  expect(linesOf(await failureOf({ status: 500, body: refusal('no') })).filter(isOwn).length).toBeLessThanOrEqual(4)
  const error = new SidecarError('UNKNOWN', 'It failed', { cause: new TypeError('a bug of the game') })
  const text = inspect(error)
  expect(text).toContain('[cause]: TypeError: a bug of the game')
  expect(text).toContain("code: 'UNKNOWN'")
  expect(text).not.toContain('Getter')
  expect(Object.keys(error)).toEqual(['code'])
})
