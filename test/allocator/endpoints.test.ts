import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { AllocateRequest, AllocationError, AllocatorOptions } from '../../src/deploy/allocator.js'
import { freePort } from '../support/free-port.js'
import { listenHere } from '../support/listen.js'
import { allocatorOf, api, errorOf, json, service, standIn, type Respond } from './support.js'

const html: Respond = (response) => void response.writeHead(200).end('<html>')

/** Asks clusters that answer so, and tells how often each was asked. */
async function askAll(answers: readonly Respond[], request: AllocateRequest = {}, options: AllocatorOptions = {}) {
  const clusters = await Promise.all(answers.map((answer) => standIn([answer])))
  const endpoints = clusters.map(({ url }, index) => ({ url, region: String(index) }))
  const allocator = allocatorOf({ ...options, endpoints })
  const outcome = await allocator.allocate(request).then(
    ({ region }) => region,
    (error: unknown) => (error as AllocationError).code,
  )
  return [outcome, clusters.map(({ received }) => received.length).join(' ')]
}

test.each<[title: string, first: Respond, outcome: string, asked: string]>([
  ['has no GameServer', api.none, '1', '1 1'],
  ['is too busy', api.contention, '1', '1 1'],
  ['refuses the account', json(403, { message: 'forbidden' }), '1', '1 1'],
  ['answers HTML', html, '1', '1 1'],
  ['refuses the request', json(422, { message: 'x is invalid: y' }), 'INVALID_ARGUMENT', '1 0'],
  ['loses the answer', (response) => void response.destroy(), 'UNKNOWN_OUTCOME', '1 0'],
])('after a cluster that %s the outcome is %3$s', async (_, first, outcome, asked) => {
  expect(await askAll([first, api.allocated])).toEqual([outcome, asked])
})

test('with allowDuplicate, the next cluster is asked after a lost answer, too', async () => {
  const lost: Respond = (response) => void response.destroy()
  expect(await askAll([lost, api.allocated], {}, { allowDuplicate: true })).toEqual(['1', '1 1'])
})

test.each([false, true])(
  'of parallel calls to a cluster that dies, each ends, and no GameServer is given twice; allowDuplicate: %s',
  async (allowDuplicate) => {
    const named = (name: string) =>
      json(201, { status: { state: 'Allocated', gameServerName: name, address: '10.0.0.1' } })
    const near = await standIn([
      (response, request) => {
        if (near.received.length <= 10) return named(`near-${near.received.length}`)(response, request)
        near.server.close()
        response.destroy()
      },
    ])
    const far = await standIn([(response, request) => named(`far-${far.received.length}`)(response, request)])
    const allocator = allocatorOf({ endpoints: [{ url: near.url }, { url: far.url }], allowDuplicate })
    const given: string[] = []
    const failures: string[] = []
    const allocate = () =>
      allocator.allocate().then(
        ({ name }) => given.push(name),
        (error: unknown) => failures.push((error as AllocationError).code),
      )
    await Promise.all(Array.from({ length: 30 }, allocate))
    await Promise.all(Array.from({ length: 10 }, allocate))
    expect(given.length + failures.length).toBe(40)
    expect(new Set(given).size).toBe(given.length)
    expect(given.filter((name) => name.startsWith('far'))).toHaveLength(far.received.length)
    expect(far.received.length).toBeGreaterThanOrEqual(10)
    expect(new Set(failures)).toEqual(new Set(allowDuplicate ? [] : ['UNKNOWN_OUTCOME']))
  },
)

test('the region that is asked for comes first, then the order of the list', async () => {
  expect(await askAll([api.allocated, api.allocated, api.allocated], { region: '2' })).toEqual(['2', '0 0 1'])
  expect(await askAll([api.none, api.allocated, api.none], { region: '2' })).toEqual(['1', '1 1 1'])
  expect(await askAll([api.allocated, api.allocated], { region: 'moon' })).toEqual(['0', '1 0'])
})

test('endpoints get first requests in proportion to their weights; an endpoint without a weight is asked last', async () => {
  const clusters = await Promise.all([1, 2, 3].map(() => standIn([api.allocated])))
  const [a, b, c] = clusters.map(({ url }) => url) as [string, string, string]
  const allocator = allocatorOf({ endpoints: [{ url: a }, { url: b, weight: 1 }, { url: c, weight: 3 }] })
  for (let call = 0; call < 200; call++) await allocator.allocate()
  const [none, one, three] = clusters.map(({ received }) => received.length) as [number, number, number]
  expect([none, one + three]).toEqual([0, 200])
  expect(one).toBeGreaterThan(20)
  expect(three).toBeGreaterThan(2 * one * 0.7)
})

test('a cluster that fails rests, and is asked again when it is back', async () => {
  const down = await standIn([json(503, { message: 'no endpoints available' }), service.allocated])
  const other = await standIn([api.allocated, api.allocated, api.none])
  const allocator = allocatorOf({
    endpoints: [
      { service: down.url, region: 'down' },
      { url: other.url, region: 'other' },
    ],
  })
  const regions = [await allocator.allocate(), await allocator.allocate()].map(({ region }) => region)
  expect([regions, down.received.length]).toEqual([['other', 'other'], 1])
  const waited = await allocator.allocate({ wait: 60_000 })
  expect(waited.region).toBe('down')
})

test('a cluster that never finishes the handshake is passed over, and if all are down, the call is UNAVAILABLE', async () => {
  const silent = createServer(() => undefined)
  onTestFinished(() => void silent.close())
  const port = await listenHere(silent)
  const { url } = await standIn([api.allocated])
  const endpoints = [{ service: `localhost:${port}` }, { url, region: 'well' }]
  expect(await allocatorOf({ endpoints }).allocate()).toMatchObject({ region: 'well' })
  const down = [await freePort(), await freePort()].map((one) => ({ url: `http://127.0.0.1:${one}` }))
  expect(await errorOf(allocatorOf({ endpoints: down }).allocate())).toMatchObject({ code: 'UNAVAILABLE' })
})

test('waiting is the number of calls that have no GameServer yet', async () => {
  const { url } = await standIn([api.none, api.allocated])
  const allocator = allocatorOf({ url })
  const calls = [allocator.allocate({ wait: 60_000 }), allocator.allocate({ wait: 60_000 })]
  expect(allocator.waiting).toBe(2)
  await Promise.all(calls)
  expect(allocator.waiting).toBe(0)
})
