import { describe, expect, test } from 'vitest'
import type { SidecarClient } from '../../src/index.js'
import type { SeenRequest } from '../support/fault-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { answering } from '../support/fault-server-steps.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient, startSidecar } from '../support/with-sidecar.js'
import { misspeltNames, wrongArguments } from './wrong-input.js'

type Call = (client: SidecarClient) => Promise<unknown>

/** The error of a call that must not be sent. */
async function refusing(call: (client: SidecarClient) => unknown): Promise<unknown> {
  const sidecar = await startScripted()
  const client = connectClient(sidecar)
  const error: unknown = await (async () => call(client))().then(
    () => expect.fail('it was taken'),
    (reason: unknown) => reason,
  )
  expect(sidecar.requests).toEqual([])
  return error
}

test.each(wrongArguments)('%s() refuses %s with INVALID_ARGUMENT', async (operation, _what, named, call) => {
  expect(await refusing(call)).toMatchObject({
    name: 'SidecarError',
    code: 'INVALID_ARGUMENT',
    operation,
    message: expect.stringContaining(named),
  })
})

test.each(misspeltNames)('%s() refuses "%s": the hint names %s', async (operation, given, meant, call) => {
  expect(await refusing(call)).toMatchObject({
    code: 'INVALID_ARGUMENT',
    operation,
    message: expect.stringContaining(given),
    hint: expect.stringMatching(new RegExp(`mean \\W?${meant}\\b`)),
  })
})

test('allocate() knows no option force, which is one of ready() alone', async () => {
  expect(await refusing((client) => client.allocate({ force: true } as never))).toMatchObject({
    code: 'INVALID_ARGUMENT',
    operation: 'allocate',
    message: expect.stringContaining('force'),
  })
})

test('waitFor() takes a function for a state of a newer platform, whose name it refuses', async () => {
  const sidecar = await startScripted()
  sidecar.publish(gameServer(1, 'Draining'))
  const client = connectClient(sidecar)
  expect((await client.waitFor(({ status }) => status.state === 'Draining')).status.state).toBe('Draining')
  await expect(client.waitFor('Draining')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
})

test.each(['Scheduled', 'Ready', 'Allocated', 'Reserved', 'Error', 'RequestReady', 'Unhealthy', 'Shutdown'] as const)(
  'waitFor() knows the state %s',
  async (state) => {
    const sidecar = await startScripted()
    sidecar.publish(gameServer(1, state))
    expect((await connectClient(sidecar).waitFor(state)).status.state).toBe(state)
  },
)

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
    ['the longest reservation as a bigint', (c) => c.reserve(9223372036n), { seconds: '9223372036' }],
    ['a reservation as decimal text', (c) => c.reserve('10'), { seconds: '10' }],
    ['a count of 0', (c) => c.updateCounter('x', { count: 0 }), { count: '0' }],
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

test('the values of a list may be any text', async () => {
  const client = connectClient(await startSidecar({ mode: 'local' }))
  const values = ['', 'a b', 'ä']
  expect(await client.updateList('players', { values })).toMatchObject({ name: 'players', values })
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
