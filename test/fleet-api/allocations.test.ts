import { expect, test } from 'vitest'
import { ask as askWire, dial } from '../support/wire.js'
import { AGONES, ALLOCATE, serveFleet } from './support/serve-fleet.js'

const SERVICE = '/gameserverallocation'
const template = {
  spec: {
    ports: [{ name: 'game', containerPort: 7000 }],
    ...{ counters: { rooms: { count: 1, capacity: 10 } }, lists: { players: { capacity: 4, values: ['eva'] } } },
  },
}

test('an allocation is answered with 201 and the GameServer, or with the reason as a warning', async () => {
  const { allReady, ask, names } = await serveFleet({ fleet: { replicas: 1 } })
  const none = await ask('POST', ALLOCATE, { spec: { selectors: [{ matchLabels: { a: 'ü"' } }] } })
  expect(none.status).toBe(422)
  const early = await ask('POST', ALLOCATE, { spec: {} })
  expect([early.status, early.body.status['state']]).toEqual([201, 'UnAllocated'])
  expect(early.headers.get('warning')).toMatch(/^299 - "UnAllocated: .*state is Scheduled, must be Ready.*"$/)
  allReady()
  const { status, headers, body } = await ask('POST', ALLOCATE, { metadata: { namespace: 'ignored' }, spec: {} })
  expect([status, headers.get('warning')]).toEqual([201, null])
  expect(body).toMatchObject({
    ...{ apiVersion: 'allocation.agones.dev/v1', kind: 'GameServerAllocation' },
    metadata: { name: names()[0], namespace: 'default' },
    status: { state: 'Allocated', gameServerName: names()[0], source: 'local' },
  })
  expect(body).not.toHaveProperty('reason')
})

test('an allocation in another namespace finds nothing, and its answer is in that namespace', async () => {
  const { allReady, ask } = await serveFleet()
  allReady()
  const { body } = await ask('POST', ALLOCATE.replace('default', 'other'), {})
  expect([body.status['state'], body.metadata['namespace']]).toEqual(['UnAllocated', 'other'])
  for (const request of [{}, { namespace: 'other' }]) expect((await ask('POST', SERVICE, request)).status).toBe(429)
})

const ADDRESSES = ['InternalIP', 'PodIP'].map((type) => ({ type, address: '127.0.0.1' }))

test('the allocator service takes and gives the JSON of protobuf', async () => {
  const { allReady, ask, names, model } = await serveFleet({ fleet: { replicas: 2, template } })
  allReady()
  const { status, body } = await ask('POST', SERVICE, {
    namespace: 'default',
    multiClusterSetting: { enabled: false },
    gameServerSelectors: [
      { matchLabels: { 'agones.dev/fleet': 'none' } },
      {
        matchExpressions: [
          { key: 'agones.dev/fleet', operator: 'Exists' },
          { key: 'a', operator: 1, values: ['b'] },
        ],
        gameServerState: 'READY',
        counters: { rooms: { minAvailable: '5' } },
        lists: { players: { containsValue: 'eva' } },
      },
    ],
    ...{ scheduling: 'Distributed', priorities: [{ type: 'Counter', key: 'rooms', order: 1 }] },
    metaPatch: { labels: { mode: 'duel' }, annotations: { 'sent-by': 'us' } },
    counters: { rooms: { action: 'Increment', amount: '2' } },
    lists: { players: { addValues: ['kim'], capacity: 5 } },
    isNewInAnotherRelease: true,
  })
  const name = String(body['gameServerName'])
  expect(names('Allocated')).toEqual([name])
  const { gameServer } = model.snapshot().servers.find((server) => server.name === name)!
  expect([status, body]).toEqual([
    200,
    {
      ...{ gameServerName: name, source: 'local', nodeName: '127.0.0.1' },
      ...{ address: gameServer.status.address, addresses: ADDRESSES, ports: gameServer.status.ports },
      metadata: { labels: gameServer.object_meta.labels, annotations: gameServer.object_meta.annotations },
      counters: { rooms: { count: '3', capacity: '10' } },
      lists: { players: { values: ['eva', 'kim'], capacity: '5' } },
    },
  ])
  expect(gameServer.object_meta.labels).toMatchObject({ mode: 'duel' })
})

test('the allocator service refuses as grpc-gateway does: what protobuf cannot read with 400, an invalid allocation with 500', async () => {
  const { ask } = await serveFleet()
  const unallocated = await ask('POST', SERVICE, { namespace: 'default' })
  expect(unallocated.status).toBe(429)
  expect(unallocated.body).toEqual({ code: 8, message: 'there is no available GameServer to allocate', details: [] })
  const cases = [
    [501, 12, await ask('GET', SERVICE)],
    [400, 3, await ask('POST', SERVICE, '{"namespace"')],
    [400, 3, await ask('POST', SERVICE, '[]')],
    [400, 3, await ask('POST', SERVICE, { namespace: 'default', gameServerSelectors: 5 })],
    [400, 3, await ask('POST', SERVICE, { namespace: 'default', gameServerSelectors: [{ gameServerState: 'RADY' }] })],
    [400, 3, await ask('POST', SERVICE, { namespace: 'default', counters: { rooms: { amount: 'two' } } })],
    [500, 422, await ask('POST', SERVICE, { namespace: 'default', counters: { rooms: { action: 'Increment' } } })],
    [500, 422, await ask('POST', SERVICE, { namespace: 'default', lists: { players: { capacity: '-1' } } })],
    [500, 422, await ask('POST', SERVICE, { namespace: 'default', multiClusterSetting: { enabled: true } })],
    [413, 8, await ask('POST', SERVICE, 'x'.repeat(5_000_000))],
  ] as const
  for (const [index, [status, code, answer]] of cases.entries()) {
    expect([answer.status, answer.body['code']], String(index)).toEqual([status, code])
  }
})

test('broken allocations are refused with a Status', async () => {
  const { ask, model } = await serveFleet()
  const before = model.entries().length
  const wrong = await ask('POST', ALLOCATE, { spec: { selectors: [{ gameServerState: 'Rady' }] } })
  expect(wrong.body).toMatchObject({
    ...{ kind: 'Status', code: 422, reason: 'Invalid' },
    details: { causes: [{ field: 'spec.selectors[0].gameServerState' }] },
  })
  for (const [status, body] of [
    [500, '{'],
    [500, 'null'],
    [500, `{"a":${'['.repeat(100_000)}`],
    [500, { spec: 5 }],
    [500, { spec: { counters: { rooms: { action: 'Increment', amount: '1' } } } }],
    [422, { spec: { counters: { rooms: { action: 'Increment', amount: -1 } } } }],
    [413, 'x'.repeat(5_000_000)],
  ] as const) {
    const answer = await ask('POST', ALLOCATE, body)
    expect([answer.status, answer.body.kind]).toEqual([status, 'Status'])
  }
  expect(model.entries()).toHaveLength(before)
})

test('allocations in flight together are a batch: a shared GameServer is given once', async () => {
  const { allReady, port, ask } = await serveFleet({ fleet: { replicas: 1 } })
  allReady()
  await ask('POST', ALLOCATE, {})
  const body = JSON.stringify({ spec: { selectors: [{ gameServerState: 'Allocated' }] } })
  const head = `POST ${ALLOCATE} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  // One packet, so that the server reads both at the same time.
  const answers = await (await dial(port, `${head}\r\n${body}${head}Connection: close\r\n\r\n${body}`)).ended
  const states = [...answers.matchAll(/"status":\{"state":"(\w+)"/g)].map(([, state]) => state)
  expect(states).toEqual(['Allocated', 'UnAllocated'])
  expect((await ask('POST', ALLOCATE, body)).body.status['state']).toBe('Allocated')
})

test('no web page of another origin can read, allocate or change', async () => {
  const { allReady, ask, model, names, port, url } = await serveFleet()
  allReady()
  const before = model.resourceVersion
  const strangers = [['Host: localhost', 'Origin: https://evil.example'], [`Host: evil.example:${port}`]]
  for (const headers of strangers) {
    for (const [method, path, body] of [
      ['GET', `${AGONES}/gameservers`],
      ['GET', `${AGONES}/gameservers?watch=1`],
      ['POST', ALLOCATE, '{}'],
      ['POST', SERVICE, '{"namespace":"default"}'],
      ['DELETE', `${AGONES}/gameservers/${names()[0]}`],
    ] as const) {
      const { status } = await askWire(port, `${method} ${path}`, headers, body)
      expect(status, `${headers.join()} ${method} ${path}`).toBe(403)
    }
  }
  // What a page may send without asking first is refused even if the browser named no origin.
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', '']) {
    for (const path of [ALLOCATE, SERVICE]) {
      expect((await ask('POST', path, '{}', { 'content-type': type })).status, `${path} ${type}`).toBe(415)
    }
  }
  expect(model.resourceVersion).toBe(before)
  expect((await fetch(url + ALLOCATE, { method: 'OPTIONS' })).headers.has('access-control-allow-origin')).toBe(false)
})
