import { describe, expect, test } from 'vitest'
import { equal, healthRulesOf, isGameServer, own } from '../../src/client/game-server/game-server.js'
import type { ClientOptions, SidecarClient } from '../../src/index.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { answering } from '../support/fault-server-steps.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'

/** What one call comes to where everything is answered with this. */
async function answered<T>(body: object, call: (client: SidecarClient) => Promise<T>, options: ClientOptions = {}) {
  const sidecar = await startScripted([{ on: '*', step: answering({ body: JSON.stringify(body) }) }])
  return call(connectClient(sidecar, { retry: false, ...options }))
}

describe('a counter', () => {
  const counter = (body: object, options?: ClientOptions) => answered(body, (c) => c.getCounter('a'), options)

  test('has its numbers as numbers, or as bigints', async () => {
    const raw = { name: 'other', count: '9007199254740991', capacity: 0 }
    expect(await counter(raw)).toEqual({ name: 'a', count: 9007199254740991, capacity: 0 })
    expect(await counter({ ...raw, count: '9223372036854775807' }, { int64: 'bigint' })).toEqual({
      name: 'a',
      count: 9223372036854775807n,
      capacity: 0n,
    })
  })

  test.each([
    ['9007199254740993', 'UNSAFE_INTEGER'],
    ['-9007199254740993', 'UNSAFE_INTEGER'],
    [1.5, 'PROTOCOL'],
    ['1.5', 'PROTOCOL'],
    ['', 'PROTOCOL'],
    [null, 'PROTOCOL'],
  ])('of %o is %s', async (count, code) => {
    await expect(counter({ count, capacity: '1' })).rejects.toMatchObject({ code, operation: 'getCounter' })
    await expect(counter({ count: '1', capacity: count })).rejects.toMatchObject({ code, operation: 'getCounter' })
  })
})

describe('a list', () => {
  const list = (body: object) => answered(body, (client) => client.getList('a'))

  test('has its values, or none', async () => {
    expect(await list({ capacity: '2', values: ['b', ''] })).toEqual({ name: 'a', capacity: 2, values: ['b', ''] })
    expect(await list({ capacity: '2' })).toEqual({ name: 'a', capacity: 2, values: [] })
    expect(await list({ capacity: '2', values: null })).toEqual({ name: 'a', capacity: 2, values: [] })
  })

  test.each([[{}], ['ab'], [['a', 1]], [[null]], [7]])('of %j is PROTOCOL', async (values) => {
    await expect(list({ capacity: '2', values })).rejects.toMatchObject({ code: 'PROTOCOL', operation: 'getList' })
  })
})

describe('two values of JSON are equal', () => {
  test.each<[unknown, unknown]>([
    [1, 1],
    [null, null],
    [{}, {}],
    [[], []],
    [
      { a: 1, b: [2, { c: null }] },
      { b: [2, { c: null }], a: 1 },
    ],
  ])('%j and %j', (a, b) => expect(equal(a, b)).toBe(true))

  test.each<[unknown, unknown]>([
    [1, '1'],
    [null, {}],
    [{}, null],
    [{}, undefined],
    ['a', {}],
    [{ a: 1 }, 'a'],
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ a: 1, b: 1 }, { a: 1 }],
    [{ toString: {} }, { other: {} }],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 2]],
  ])('and not: %j and %j', (a, b) => expect(equal(a, b)).toBe(false))
})

test('a member of a map is its own, never an inherited one', () => {
  expect(own({ a: 1 }, 'a')).toBe(1)
  expect(own({ a: 1 }, 'b')).toBeUndefined()
  expect(own({}, 'toString')).toBeUndefined()
  expect(own(JSON.parse('{"hasOwnProperty":1}') as Record<string, number>, 'hasOwnProperty')).toBe(1)
  expect(own(undefined, 'a') ?? own(null, 'a')).toBeFalsy()
})

test('a GameServer has metadata and a status', () => {
  expect(isGameServer({ object_meta: {}, status: {} })).toBe(true)
  for (const other of [undefined, null, 7, {}, { object_meta: {} }, { status: {} }, { object_meta: 1, status: {} }])
    expect(isGameServer(other)).toBe(false)
})

describe('the rules for beats', () => {
  const rules = (health: object | undefined, interval?: number) =>
    healthRulesOf({ ...gameServer(1), spec: { health } } as never, interval)
  const none = { disabled: false, rhythm: 2000, limit: undefined }

  test('are taken as they are, where they can be right', () => {
    expect(rules({ period_seconds: 1, failure_threshold: 1 })).toEqual({ disabled: false, rhythm: 500, limit: 1000 })
    expect(rules({ disabled: true, period_seconds: 3600, failure_threshold: 1e6 })).toEqual({
      disabled: true,
      rhythm: 1_800_000,
      limit: 3.6e12,
    })
  })

  test('leave the rhythm to the game, where it has one', () => {
    expect(rules({ period_seconds: 5, failure_threshold: 3 }, 100)).toEqual({
      disabled: false,
      rhythm: 100,
      limit: 15_000,
    })
  })

  test.each([0, -1, 0.5, NaN, '5', null])('and are none where they can not: %o', (wrong) => {
    expect(rules({ disabled: 'yes', period_seconds: wrong, failure_threshold: wrong })).toEqual(none)
  })

  test('are none beyond an hour and a million, or where nothing is told', () => {
    expect(rules({ period_seconds: 3601, failure_threshold: 1e6 + 1 })).toEqual(none)
    expect(rules(undefined)).toEqual(none)
    expect(healthRulesOf({ object_meta: {}, status: {} } as never, undefined)).toEqual(none)
    expect(healthRulesOf(undefined, undefined)).toEqual(none)
  })
})

describe('who waits for a GameServer', () => {
  test('is told the present one, or the first that passes, and then is not asked any more', async () => {
    const sidecar = await startScripted()
    const client = connectClient(sidecar, { verifyInterval: 0 })
    const asked: string[] = []
    const second = client.waitFor(({ object_meta }) => {
      asked.push(object_meta.resource_version)
      return object_meta.resource_version === '2'
    })
    await client.waitFor('Ready')
    await sidecar.until(() => sidecar.followers === 1, 'the watch')
    sidecar.publish(gameServer(2))
    expect((await second).object_meta.resource_version).toBe('2')
    sidecar.publish(gameServer(3))
    await client.waitFor(({ object_meta }) => object_meta.resource_version === '3')
    expect(asked).toEqual(['1', '2'])
    expect(client.gameServer).toEqual(gameServer(3))
  })

  test('need not wait for another where the present one passes', async () => {
    const sidecar = await startScripted()
    const client = connectClient(sidecar, { verifyInterval: 0 })
    await client.waitFor('Ready')
    await sidecar.until(() => sidecar.followers === 1, 'the watch')
    await sidecar.stop()
    expect(await client.waitFor('Ready', { timeout: 5000 })).toEqual(gameServer(1))
  })

  test('is told of a predicate that throws, and nobody else is', async () => {
    const sidecar = await startScripted()
    const client = connectClient(sidecar)
    const fault = new Error('a bug of the game')
    const failing = client.waitFor(() => {
      throw fault
    })
    const other = client.waitFor('Ready')
    await expect(failing).rejects.toMatchObject({ code: 'UNKNOWN', cause: fault, hint: expect.stringMatching(/cause/) })
    expect((await other).status.state).toBe('Ready')
  })

  test('is not asked any more once it has given up', async () => {
    const sidecar = await startScripted()
    const client = connectClient(sidecar, { verifyInterval: 0 })
    const controller = new AbortController()
    let asked = 0
    const waiting = client.waitFor(() => asked++ < 0, { signal: controller.signal })
    await client.waitFor('Ready')
    controller.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' })
    const before = asked
    sidecar.publish(gameServer(2))
    await client.waitFor(({ object_meta }) => object_meta.resource_version === '2')
    expect(asked).toBe(before)
  })
})
