import { describe, expect, test } from 'vitest'
import type { ClientOptions, SidecarClient } from '../../src/index.js'
import { type Rule, type ScriptedSidecar, startScripted, type Step } from '../support/fault-server.js'
import { answering } from '../support/fault-server-steps.js'
import { VirtualClock } from '../support/virtual-clock.js'
import { calls, connectClient, startQuickSidecar, startSidecar } from '../support/with-sidecar.js'

const sent = ({ requests }: ScriptedSidecar): string[] => requests.map(({ method, path }) => `${method} ${path}`)
const posts = (sidecar: ScriptedSidecar): string[] => sent(sidecar).filter((request) => request.startsWith('POST'))

test('one read asks whether the sidecar is there, later writes and those with retry: false go out at once', async () => {
  const sidecar = await startScripted()
  const client = connectClient(sidecar)
  await client.allocate()
  await client.allocate()
  expect(sent(sidecar)).toEqual(['GET /gameserver', 'POST /allocate', 'POST /allocate'])
  await connectClient(sidecar, { retry: false }).allocate()
  expect(sent(sidecar).slice(3)).toEqual(['POST /allocate'])
})

const cases: [string, Rule['on'], (client: SidecarClient) => Promise<unknown>, number][] = [
  ['getCounter', 'GET /v1beta1/counters/a', (client) => client.getCounter('a'), 2],
  ['health', 'POST /health', (client) => client.health(), 2],
  ['allocate', 'POST /allocate', (client) => client.allocate(), 1],
  ['addListValue', 'POST /v1beta1/lists/a:addValue', (client) => client.addListValue('a', 'b'), 1],
]
const body = '{"name":"a","count":"1","capacity":"2"}'

test.each(cases)('%s() answered 503 is repeated only if it is idempotent', async (_operation, on, call, times) => {
  for (const options of [{}, { retry: false }] satisfies ClientOptions[]) {
    const sidecar = await startScripted([
      { on, nth: 1, step: answering({ status: 503 }) },
      { on, step: answering({ body }) },
    ] as Rule[])
    const outcome = call(connectClient(sidecar, options))
    if (times > 1 && !('retry' in options)) await outcome
    else await expect(outcome).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(sent(sidecar).filter((request) => request === on)).toHaveLength('retry' in options ? 1 : times)
  }
})

test('a read that is refused for good is not repeated', async () => {
  const sidecar = await startScripted([{ on: 'GET /v1beta1/counters/a', step: answering({ status: 500 }) }])
  await expect(connectClient(sidecar).getCounter('a')).rejects.toMatchObject({ code: 'UNKNOWN' })
  expect(sent(sidecar)).toHaveLength(2)
})

test.each([200, 500])('a call that was answered %i leaves no timer behind', async (status) => {
  const clock = new VirtualClock()
  const sidecar = await startScripted([{ on: '*', step: answering({ status }) }])
  const client = connectClient(sidecar, { retry: false, now: clock.now, scheduler: clock })
  await client.allocate().catch(() => {})
  expect(clock.pending).toBe(0)
})

const slow = (path: string): { rules: Rule[]; release(): void } => {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const on = `POST ${path}` as const
  return { rules: [{ on, nth: 1, step: (exchange) => released.then(() => exchange.reply()) }], release }
}

async function started() {
  const { rules, release } = slow('/allocate')
  const sidecar = await startScripted(rules)
  const client = connectClient(sidecar, { retry: false })
  const first = client.allocate()
  await sidecar.until(() => posts(sidecar).length === 1, 'the first call')
  return { sidecar, client, first, release }
}

test('a read of a counter called "state" does not wait for state calls', async () => {
  const { sidecar, client, first, release } = await started()
  // This sidecar answers with an empty object, which is no counter.
  await expect(client.getCounter('state', { timeout: 5000 })).rejects.toMatchObject({ code: 'PROTOCOL' })
  expect(sent(sidecar)).toEqual(['POST /allocate', 'GET /v1beta1/counters/state'])
  release()
  await first
})

test('state calls wait for each other, and a label does not wait for them', async () => {
  const { sidecar, client, first, release } = await started()
  const others = [client.ready(), client.reserve(1)]
  await client.setLabel('a', 'b')
  expect(posts(sidecar)).toEqual(['POST /allocate'])
  release()
  expect(await Promise.all([first, ...others])).toEqual(['accepted', 'accepted', 'accepted'])
  expect(posts(sidecar)).toEqual(['POST /allocate', 'POST /ready', 'POST /reserve'])
})

test('a call aborted while it waits for its turn is never sent, and those behind it are', async () => {
  const { sidecar, client, first, release } = await started()
  const controller = new AbortController()
  const second = client.ready({ signal: controller.signal })
  const third = client.reserve(1)
  controller.abort()
  await expect(second).rejects.toMatchObject({ code: 'ABORTED', operation: 'ready' })
  release()
  await Promise.all([first, third])
  expect(posts(sidecar)).toEqual(['POST /allocate', 'POST /reserve'])
})

test('a call that fails does not hold up those behind it', async () => {
  const sidecar = await startScripted([{ on: 'POST /allocate', step: answering({ status: 500 }) }])
  const client = connectClient(sidecar, { retry: false })
  const [first, second] = await Promise.allSettled([client.allocate(), client.ready()])
  expect(first).toMatchObject({ reason: { code: 'UNKNOWN', operation: 'allocate' } })
  expect(second).toEqual({ status: 'fulfilled', value: 'accepted' })
  expect(posts(sidecar)).toEqual(['POST /allocate', 'POST /ready'])
})

describe.each(['local', 'production'] as const)('the %s mode', (mode) => {
  const start = mode === 'production' ? startQuickSidecar : startSidecar

  test(`in ${mode} mode a countDiff of 0 reads the counter, since production refuses it`, async () => {
    const client = connectClient(await start({ mode }))
    const counter = await client.updateCounter('rooms', { countDiff: 0 })
    expect(counter).toEqual({ name: 'rooms', count: 1, capacity: 10 })
  })

  test(`in ${mode} mode updateList() of an unknown list sends no PATCH, which ends an old sidecar`, async () => {
    const sidecar = await start({ mode })
    await expect(connectClient(sidecar).updateList('nope', { capacity: 1 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    expect(calls(sidecar)).not.toContain('updateList')
  })

  test(`in ${mode} mode updateList() loses no value added just before, and gives the list`, async () => {
    const client = connectClient(await start({ mode }))
    const added = client.addListValue('players', 'late')
    const updated = client.updateList('players', { capacity: 50 })
    expect((await added).values).toContain('late')
    expect(await updated).toEqual({ name: 'players', capacity: 50, values: ['test0', 'test1', 'test2', 'late'] })
  })

  test(`in ${mode} mode a confirmed write resolves when the watch has shown it`, async () => {
    const client = connectClient(await start({ mode }))
    expect(await client.allocate({ confirm: true })).toBe('confirmed')
    expect(client.gameServer?.status.state).toBe('Allocated')
    expect(await client.setAnnotation('map', 'any text, ä', { confirm: true })).toBe('confirmed')
    expect(client.gameServer?.object_meta.annotations?.['agones.dev/sdk-map']).toBe('any text, ä')
  })
})

test('integers go out and come back exact, as number, bigint or decimal text', async () => {
  const client = connectClient(await startSidecar({ mode: 'local' }), { int64: 'bigint' })
  const max = 9223372036854775807n
  expect(await client.updateCounter('rooms', { capacity: max })).toMatchObject({ capacity: max })
  const count = 9007199254740993n
  expect(await client.updateCounter('rooms', { count: `${count}` })).toMatchObject({ count })
  expect(await client.updateCounter('rooms', { countDiff: -3 })).toMatchObject({ count: count - 3n })
})

/** A client of a sidecar that has only paths which match; any other is answered with this status, as grpc-gateway does. */
async function lacking(has: RegExp, status: number) {
  const none = { status, body: '{"code":5,"message":"Not Found"}' }
  const step: Step = (exchange) =>
    exchange.reply(has.test(exchange.request.path) ? { body: '{"name":"rooms","count":"1","capacity":"9"}' } : none)
  const sidecar = await startScripted([{ on: '*', step }])
  return { client: connectClient(sidecar, { retry: false }), sidecar }
}

test.each([404, 501])('a sidecar that answers %i to the beta is asked by stable paths from then on', async (status) => {
  const { client, sidecar } = await lacking(/^\/counters\//, status)
  expect(client.status.stablePaths).toBe(false)
  const rooms = { name: 'rooms', count: 1, capacity: 9 }
  expect(await client.updateCounter('rooms', { countDiff: 1 })).toEqual(rooms)
  expect(client.status.stablePaths).toBe(true)
  expect(await client.getCounter('rooms')).toEqual(rooms)
  expect(sent(sidecar)).toEqual(['PATCH /v1beta1/counters/rooms', 'PATCH /counters/rooms', 'GET /counters/rooms'])
})

test('a sidecar without counters rejects with UNIMPLEMENTED, and is asked for the beta again', async () => {
  const { client, sidecar } = await lacking(/^$/, 404)
  for (let call = 0; call < 2; call++)
    await expect(client.getCounter('rooms')).rejects.toMatchObject({ code: 'UNIMPLEMENTED' })
  await expect(client.ready()).rejects.toMatchObject({ code: 'UNIMPLEMENTED' })
  const both = ['GET /v1beta1/counters/rooms', 'GET /counters/rooms']
  expect([sent(sidecar), client.status.stablePaths]).toEqual([[...both, ...both, 'POST /ready'], false])
})
