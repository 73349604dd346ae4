import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { selfSigned } from '../gateway/certificate.js'
import { folderOf } from '../support/temporary-folder.js'
import type { AllocatorOptions } from '../../src/deploy/allocator.js'
import { allocatorOf, api, errorOf, service, standIn } from './support.js'

const ALLOCATION = {
  name: 'fleet-1',
  address: '10.0.0.1',
  port: 7001,
  ports: [
    { name: 'players', port: 7001 },
    { name: 'voice', port: 7002 },
  ],
  counters: { rooms: { count: 1, capacity: 10 } },
  lists: { players: { capacity: 8, values: ['ann'] } },
  url: 'ws://10.0.0.1:7001',
}

const REQUEST = {
  fleet: 'arena',
  selectors: [{ gameServerState: 'Allocated', counters: { rooms: { minAvailable: 1 } } }, {}],
  priorities: [{ type: 'Counter', key: 'rooms', order: 'Ascending' }],
  scheduling: 'Distributed',
  counters: { rooms: { action: 'Increment', amount: 1 } },
  lists: { players: { addValues: ['ann'] } },
  labels: { map: 'moon' },
  annotations: { match: '1' },
} as const

/** What each way sends of it, by the same names. */
const { fleet, labels, annotations, selectors, ...rest } = REQUEST
const matchLabels = { 'agones.dev/fleet': fleet }
const SENT = { ...rest, metadata: { labels, annotations } }

describe('createAllocator() finds its way', () => {
  test('to a Fleet on this machine by GAMESERVER_FLEET_URL, with the whole manifest', async () => {
    const local = await standIn([api.allocated])
    const allocator = allocatorOf({ namespace: 'games' }, { GAMESERVER_FLEET_URL: local.url })
    expect(await allocator.allocate(REQUEST)).toMatchObject(ALLOCATION)
    expect(local.received).toMatchObject([
      {
        method: 'POST',
        path: '/apis/allocation.agones.dev/v1/namespaces/games/gameserverallocations',
        body: {
          apiVersion: 'allocation.agones.dev/v1',
          kind: 'GameServerAllocation',
          spec: {
            ...SENT,
            selectors: [{ ...selectors[0], matchLabels }, { matchLabels }],
          },
        },
      },
    ])
  })

  test("in a pod to the API server, with the account's namespace and its token as it is renewed", async () => {
    const certificate = selfSigned()
    const server = await standIn([api.allocated], certificate)
    const account = await folderOf({ token: 'first\n', namespace: 'games\n', 'ca.crt': certificate.cert })
    const env = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(server.port) }
    const allocator = allocatorOf({}, env, account)
    await allocator.allocate()
    writeFileSync(join(account, 'token'), 'second')
    await allocator.allocate()
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second'])
    expect(server.received[0]!.path).toContain('/namespaces/games/')
    expect(server.connections()).toBe(1)
  })

  test('to the allocator service by host and client certificate, in the JSON of its REST form', async () => {
    const [certificate, client] = [selfSigned(), selfSigned()]
    const server = await standIn([service.allocated], { ...certificate, ca: client.cert, requestCert: true })
    const folder = await folderOf({ 'tls.crt': client.cert, 'tls.key': client.key, 'ca.crt': certificate.cert })
    const allocator = allocatorOf(
      { edge: 'play.example.com' },
      {
        GAMESERVER_ALLOCATOR_HOST: `localhost:${server.port}`,
        GAMESERVER_ALLOCATOR_CERT: join(folder, 'tls.crt'),
        GAMESERVER_ALLOCATOR_KEY: join(folder, 'tls.key'),
        GAMESERVER_ALLOCATOR_CA: join(folder, 'ca.crt'),
      },
    )
    // The edge stands in the nodes' network, where the external address leads around it.
    const url = 'wss://play.example.com/10.128.0.7/7001/'
    expect(await allocator.allocate(REQUEST)).toMatchObject({ ...ALLOCATION, url, gameServer: { nodeName: 'node-1' } })
    expect(server.received).toMatchObject([
      {
        path: '/gameserverallocation',
        body: {
          ...SENT,
          namespace: 'default',
          gameServerSelectors: [{ ...selectors[0], gameServerState: 'ALLOCATED', matchLabels }, { matchLabels }],
        },
      },
    ])
  })
})

test('a renewed client certificate is used from the next request on', async () => {
  const [certificate, first, second] = [selfSigned(), selfSigned({ host: 'first' }), selfSigned({ host: 'second' })]
  const server = await standIn([service.allocated], {
    ...certificate,
    ca: [first.cert, second.cert],
    requestCert: true,
  })
  const folder = await folderOf({ 'tls.crt': first.cert, 'tls.key': first.key })
  const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')]
  const allocator = allocatorOf({ service: server.url, ca: certificate.cert, cert, key })
  await allocator.allocate()
  await allocator.allocate()
  expect(server.connections()).toBe(1)
  writeFileSync(cert, second.cert)
  const error = await errorOf(allocator.allocate())
  expect([error.code, error.message]).toEqual(['CONFIG', expect.stringMatching(/mismatch.*belong together$/)])
  writeFileSync(key, second.key)
  await allocator.allocate()
  expect(server.connections()).toBe(2)
})

describe('createAllocator() refuses', () => {
  test.each([
    ['no way at all, and names the three', {}, {}, /fleet -f fleet\.yaml.*service account.*GAMESERVER_ALLOCATOR_HOST/],
    ['a misspelt option', { edgeHost: 'x', adge: 'y' }, {}, /There is no option "edgeHost"/],
    ['two ways at once', { url: 'x', service: 'y' }, {}, /url and service exclude each other/],
    ['a certificate without a key', { service: 'x', cert: 'client.crt' }, {}, /a cert without a key/],
    ['an address that is none', {}, { GAMESERVER_FLEET_URL: 'http://a b' }, /GAMESERVER_FLEET_URL must be a URL/],
    ['an edge that is no host name', { url: 'x', edge: 'https://play.example.com' }, {}, /edge must be a host name/],
    ['a timeout that is no number', { url: 'x', timeout: '5s' }, {}, /timeout must be a number/],
    ['no endpoint', { endpoints: [] }, {}, /endpoints is empty/],
    ['an endpoint without a way', { endpoints: [{ region: 'eu' }] }, {}, /needs a url or a service/],
    ['a misspelt option of an endpoint', { endpoints: [{ url: 'x', wieght: 1 }] }, {}, /no option "wieght".*weight/],
    ['a negative weight', { endpoints: [{ url: 'x', weight: -1 }] }, {}, /must be a number of at least 0; got -1/],
    ['a way beside endpoints', { url: 'x', endpoints: [{ url: 'y' }] }, {}, /in place of url and service/],
  ])('%s', (_, options, env, message) => {
    const create = (): unknown => allocatorOf(options as AllocatorOptions, env)
    expect(create).toThrow(message)
    expect(create).toThrow(expect.objectContaining({ code: 'CONFIG' }))
  })

  test('a file that is missing, with its path, when it is first used', async () => {
    const allocator = allocatorOf({ service: 'localhost:1', cert: '/nowhere/client.crt', key: '/nowhere/client.key' })
    const message = "cert: /nowhere/client.crt can't be read (ENOENT)"
    expect(await errorOf(allocator.allocate())).toMatchObject({ code: 'CONFIG', message })
  })

  test('a misspelt field of a request, and asks for the right one', async () => {
    const error = await errorOf(allocatorOf({ url: 'localhost:1' }).allocate({ flet: 'arena' } as never))
    expect(error).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'There is no field "flet". Did you mean "fleet"?',
    })
  })
})
