import { describe, expect, test } from 'vitest'
import type { ClientOptions, SidecarClient } from '../../src/index.js'
import type { Answer } from '../support/fault-server-http.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { answering } from '../support/fault-server-steps.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'

type Call = (client: SidecarClient) => Promise<unknown>

const update: Call = (client) => client.updateCounter('rooms', { count: 1 })
const read: Call = (client) => client.getGameServer()

interface Failure {
  code: string
  summary: string
  hint: string | undefined
}

/** The error of one call where everything is answered so. */
async function failureOf(answer: Answer, call = update, options: ClientOptions = {}): Promise<Failure> {
  const sidecar = await startScripted([{ on: '*', step: answering(answer) }])
  return call(connectClient(sidecar, { retry: false, ...options })).then(
    () => expect.fail('it was a good answer'),
    (error: unknown) => error as Failure,
  )
}

const refusal = (message: string, code = 2): string => JSON.stringify({ code, message })

describe('what an answer of 500 means is told by how its message begins', () => {
  test.each([
    ['no players for this', 'UNIMPLEMENTED'],
    ['there are no players for this', 'UNKNOWN'],
    ['invalid argument', 'INVALID_ARGUMENT'],
    ['it is invalid', 'UNKNOWN'],
    ['already exists: a', 'ALREADY_EXISTS'],
    ['a already exists', 'UNKNOWN'],
    ['out of range. Count must be within capacity', 'OUT_OF_RANGE'],
    ['it is out of range', 'UNKNOWN'],
    ['CountsAndLists not enabled', 'FEATURE_DISABLED'],
    ['is CountsAndLists not enabled', 'UNKNOWN'],
    ['not found: a', 'NOT_FOUND'],
    ['counter not found: a', 'NOT_FOUND'],
    ['list not found: a', 'NOT_FOUND'],
    ['a list not found', 'UNKNOWN'],
    ['a not found', 'UNKNOWN'],
  ])('%s: %s', async (message, code) => {
    expect(await failureOf({ status: 500, body: refusal(message) })).toMatchObject({ code })
  })
})

describe('what another answer means is told by its status and its code', () => {
  test.each([
    [201, '{"count":"1"}', 'PROTOCOL'],
    [399, refusal('so'), 'PROTOCOL'],
    [400, refusal('so'), 'INVALID_ARGUMENT'],
    [400, '{}', 'PROTOCOL'],
    [400, '{"message":7}', 'PROTOCOL'],
    [401, refusal('so'), 'UNKNOWN'],
    [403, '', 'CROSS_ORIGIN'],
    [404, refusal('so'), 'UNIMPLEMENTED'],
    [404, '', 'PROTOCOL'],
    [405, '', 'PROTOCOL'],
    [413, refusal('so', 8), 'LIMIT'],
    [413, refusal('so'), 'UNAVAILABLE'],
    [429, refusal('so', 8), 'LIMIT'],
    [429, refusal('so'), 'UNAVAILABLE'],
    [429, '', 'UNAVAILABLE'],
    [500, refusal('so', 8), 'UNKNOWN'],
    [500, refusal('so', 14), 'UNAVAILABLE'],
    [500, '{"message":""}', 'UNKNOWN'],
    [500, '{"message":["invalid"]}', 'UNKNOWN'],
    [501, refusal('so'), 'UNIMPLEMENTED'],
    [501, '', 'PROTOCOL'],
    [503, refusal('so'), 'UNAVAILABLE'],
  ])('%i %s: %s', async (status, body, code) => {
    expect(await failureOf({ status, body })).toMatchObject({ code, status })
  })

  test.each([502, 504])('%i: a write may have happened, a read or a beat has just failed', async (status) => {
    const answer = { status, body: refusal('so') }
    expect(await failureOf(answer)).toMatchObject({ code: 'UNKNOWN_OUTCOME', status, summary: `HTTP ${status}: so` })
    expect(await failureOf(answer, read)).toMatchObject({ code: 'UNAVAILABLE', status })
    expect(await failureOf(answer, (client) => client.health())).toMatchObject({ code: 'UNAVAILABLE', status })
  })
})

describe('an error quotes', () => {
  test.each([
    ['the message of the answer', refusal('quite so'), 'HTTP 500: quite so'],
    ['the whole answer without one', '{"a":1}', 'HTTP 500: {"a":1}'],
    ['the whole answer where it is no text', '{"message":{}}', 'HTTP 500: {"message":{}}'],
    ['the whole answer where it is empty', '{"message":""}', 'HTTP 500: {"message":""}'],
    ['nothing of an empty answer', '', 'HTTP 500'],
    ['the beginning of a long one', 'x'.repeat(1025), `HTTP 500: ${'x'.repeat(1024)}`],
  ])('%s', async (_what, body, summary) => {
    expect((await failureOf({ status: 500, body })).summary).toBe(summary)
  })
})

describe('the cure is for', () => {
  const range = 'out of range. Count must be within range [0,Capacity]. Found'
  test.each([
    ['a value that is missing in a list', 'not found: Value a not found in list b', /^The list does not hold/],
    ['a list that is missing', 'list not found: b', /spec/],
    ['a count below 0', `${range} Count: -1, Capacity: 10`, /cannot go below 0/],
    ['a count above the capacity', `${range} Count: 11, Capacity: 10`, /^Raise the capacity/],
    ['a count above the capacity, of many digits', `${range} Count: 1234, Capacity: 1000`, /^Raise the capacity/],
    ['a capacity below 0', `${range} Count: 0, Capacity: -10`, /^Raise the capacity/],
    ['a list that is full', 'out of range. No available capacity. Current Capacity: 1', /^Raise the capacity/],
    ['a capacity that cannot be', 'out of range. Capacity must be within range [0,1000]', /^A capacity is 0 or more/],
  ])('%s', async (_what, message, hint) => {
    expect((await failureOf({ status: 500, body: refusal(message) })).hint).toMatch(hint)
  })

  test('nothing in particular, where nobody knows one', async () => {
    const body = refusal('what has no available capacity, nor Found Count: 1, Capacity: 1, nor a value')
    expect((await failureOf({ status: 500, body })).hint).toBeUndefined()
    expect((await failureOf({ status: 400, body })).hint).toBeUndefined()
  })
})

describe('a good answer', () => {
  const text = JSON.stringify(gameServer(1))

  test.each([
    ['a byte order mark', `\ufeff${text}`],
    ['space around it', ` \n${text}\r\n `],
  ])('may have %s', async (_what, body) => {
    const sidecar = await startScripted([{ on: '*', step: answering({ body }) }])
    expect(await connectClient(sidecar, { retry: false }).getGameServer()).toEqual(gameServer(1))
  })

  test.each(['[]', 'null', '7', '"text"', '{', '', 'true'])('is no %s', async (body) => {
    expect(await failureOf({ body })).toMatchObject({ code: 'PROTOCOL', status: 200 })
    expect(await failureOf({ body }, read)).toMatchObject({ code: 'PROTOCOL', status: 200 })
  })

  test('to a read is a GameServer, and to a write any object', async () => {
    expect(await failureOf({ body: '{"object_meta":{}}' }, read)).toMatchObject({ code: 'PROTOCOL', status: 200 })
    const sidecar = await startScripted([{ on: '*', step: answering({ body: '{"object_meta":{}}' }) }])
    expect(await connectClient(sidecar, { retry: false }).allocate()).toBe('accepted')
  })
})

describe('whether somebody is there', () => {
  test.each([
    [200, '{}', 'connected'],
    [404, '', 'connected'],
    [500, refusal('not found'), 'connected'],
    [503, '', 'idle'],
    [500, refusal('nobody', 14), 'idle'],
  ])('is told by an answer of %i %s: %s', async (status, body, connection) => {
    const sidecar = await startScripted([{ on: '*', step: answering({ status, body }) }])
    const client = connectClient(sidecar, { retry: false })
    await client.allocate().catch(() => {})
    expect(client.status.connection).toBe(connection)
  })
})

test('somebody is there who answers a read with anything else', async () => {
  const sidecar = await startScripted([{ on: '*', step: answering({ body: '{}' }) }])
  const client = connectClient(sidecar, { retry: false })
  await expect(client.getGameServer()).rejects.toMatchObject({ code: 'PROTOCOL' })
  expect(client.status.connection).toBe('connected')
})

describe('a write that reached nobody', () => {
  test('is sent again, by the word of the gateway', async () => {
    const path = '/v1beta1/counters/rooms'
    const sidecar = await startScripted([
      { on: `PATCH ${path}`, nth: 1, step: answering({ status: 502, body: refusal('nobody', 14) }) },
      { on: `PATCH ${path}`, step: answering({ body: '{"name":"rooms","count":"1","capacity":"2"}' }) },
    ])
    expect(await update(connectClient(sidecar))).toEqual({ name: 'rooms', count: 1, capacity: 2 })
    expect(sidecar.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(2)
  })
})
