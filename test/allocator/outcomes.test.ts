import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { selfSigned } from '../gateway/certificate.js'
import { freePort } from '../support/free-port.js'
import { allocatorOf, api, errorOf, json, service, standIn, type Respond } from './support.js'

const UNLIMITED = 1e9
const FORBIDDEN =
  'gameserverallocations.allocation.agones.dev is forbidden: User "system:serviceaccount:games:lobby" cannot create resource'
const INVALID = 'GameServerAllocation.allocation.agones.dev "" is invalid: spec.scheduling: Unsupported value: "x"'

const api503 =
  (message: string): Respond =>
  (response) =>
    void response.writeHead(503).end(message)

describe('allocate() rejects with', () => {
  // The code that the title begins with, and a pattern of the message, which ends with the hint.
  test.each<[string, Respond, RegExp?]>([
    [
      'UNALLOCATED and the command that shows why',
      api.none,
      /"arena".*get gameservers -n default -l agones.dev\/fleet=arena/,
    ],
    ['CONTENTION if others were quicker', api.contention],
    [
      'FORBIDDEN and the commands that grant the right',
      json(403, { message: FORBIDDEN }),
      /create role allocator -n default .*--serviceaccount=games:lobby/,
    ],
    ['FORBIDDEN for an unknown token', json(401, { message: 'Unauthorized' }), /expired/],
    ["NOT_FOUND for a namespace that isn't there", json(404, { message: 'namespaces "x" not found' }), /"x" not found/],
    [
      "INVALID_ARGUMENT with the platform's words and path",
      json(422, { message: INVALID }),
      /spec\.scheduling: Unsupported/,
    ],
    [
      'INVALID_ARGUMENT for a body that the platform answers with 500',
      json(500, { message: 'error decoding body: x' }),
    ],
    ["UNAVAILABLE for the API server's own limit", json(429, { message: 'too many requests' })],
    [
      'UNAVAILABLE if the API server reaches no extension',
      api503('error trying to reach service: dial tcp 10.0.0.1:443: refused'),
    ],
    ['UNKNOWN_OUTCOME for a gateway that lost the answer', json(504, {}), /may be allocated/],
    [
      'UNKNOWN_OUTCOME if the answer breaks off',
      (response) => void response.writeHead(201, { 'content-length': 99 }).write('{', () => response.destroy()),
    ],
    ["PROTOCOL for a page that isn't the platform's", (response) => void response.writeHead(200).end('<html>')],
  ])('%s', async (title, answer, message = /^/) => {
    const { url, received } = await standIn([answer])
    const error = await errorOf(allocatorOf({ url }).allocate({ fleet: 'arena' }))
    expect(error.code).toBe(title.split(' ')[0])
    expect(error.message).toMatch(message)
    expect(received).toHaveLength(1)
  })

  test.each<[string, Respond]>([
    ['UNALLOCATED for 429', service.none()],
    ['UNALLOCATED for 503, which the service was told to answer with', service.none(503)],
    ['CONTENTION for 409', json(409, { message: 'too many concurrent requests have overwhelmed the system' })],
    ['INVALID_ARGUMENT for 500 with the words of the validation', json(500, { message: INVALID })],
  ])('%s, of the allocator service', async (title, answer) => {
    const { url } = await standIn([answer])
    const [code, , status] = title.split(/[ ,]+/)
    expect(await errorOf(allocatorOf({ service: url }).allocate())).toMatchObject({ code, status: Number(status) })
  })
})

const good = {
  ...{ gameServerName: 'fleet-1', address: '10.0.0.1', ports: [{ name: 'players', port: 7001 }] },
  ...{ counters: { rooms: { count: 1, capacity: 2 } }, lists: { players: { capacity: 2, values: ['ann'] } } },
  addresses: [{ type: 'InternalIP', address: '10.1.0.1' }],
}

describe.each(['api', 'service'] as const)('of an allocation by the %s', (kind) => {
  const allocate = async (status: object) => {
    const { url } = await standIn([json(200, kind === 'api' ? { status: { state: 'Allocated', ...status } } : status)])
    return (kind === 'api' ? allocatorOf({ url }) : allocatorOf({ service: url })).allocate()
  }

  test('lists and maps that are null, as Go sends empty ones, are empty', async () => {
    const nulls = { ports: null, counters: null, lists: { players: { capacity: null, values: null } }, addresses: null }
    expect(await allocate({ ...good, ...nulls })).toMatchObject({
      ...{ name: 'fleet-1', ports: [], port: undefined, url: undefined },
      ...{ counters: {}, lists: { players: { capacity: 0, values: [] } } },
    })
  })

  test.each([
    ['gameServerName', null],
    ['address', 7],
    ['counters', { rooms: null }],
  ])('%s of %j rejects with UNKNOWN_OUTCOME', async (field, value) => {
    const error = await errorOf(allocate({ ...good, [field]: value }))
    expect([error.code, error.hint]).toEqual(['UNKNOWN_OUTCOME', expect.stringMatching(/may be allocated/)])
    expect(error.summary).toMatch(/answered 200 with a GameServer.* that can't be read \(.+\)$/)
  })
})

test('a message has no character that steers a terminal, and a refused player need not read the hint', async () => {
  const { url } = await standIn([(response) => void response.writeHead(200).end('\u001b]0;x\u0007<html>\u202e')])
  const error = await errorOf(allocatorOf({ url }).allocate())
  expect(error.message).toBe(`${error.summary}. ${error.hint}`)
  expect(error.summary).toMatch(/answered 200: \\u001b\]0;x\\u0007<html>\\u202e$/)
  expect(error.hint).toMatch(/^Another server answers there, so nothing is allocated: compare url$/)
})

describe('allocate({ wait }) asks again', () => {
  test('through every refusal before the platform acted, until there is a GameServer', async () => {
    const refusals = [
      api.none,
      api.contention,
      api503('service unavailable\n'),
      json(500, { message: 'could not update the selected GameServer' }),
    ]
    const { url, received, connections } = await standIn([...refusals, api.allocated])
    expect(await allocatorOf({ url }).allocate({ wait: UNLIMITED })).toMatchObject({ name: 'fleet-1' })
    expect(received).toHaveLength(refusals.length + 1)
    expect(connections()).toBe(1)
  })

  test('while the platform is being started', async () => {
    const port = await freePort()
    const call = allocatorOf({ url: `http://127.0.0.1:${port}` }).allocate({ wait: UNLIMITED })
    const refused = await errorOf(allocatorOf({ url: `http://127.0.0.1:${port}` }).allocate())
    expect([refused.code, refused.message]).toEqual([
      'UNAVAILABLE',
      expect.stringMatching(/ECONNREFUSED.*Is it running/),
    ])
    const { server } = await standIn([api.allocated])
    server.close()
    server.listen(port, '127.0.0.1')
    expect(await call).toMatchObject({ name: 'fleet-1' })
  })

  test('until the time is over, and rejects with the last outcome', async () => {
    const { url, received } = await standIn([api.contention, api.none])
    expect(await errorOf(allocatorOf({ url }).allocate({ wait: 300 }))).toMatchObject({ code: 'UNALLOCATED' })
    expect(received.length).toBeGreaterThan(1)
  })

  test('never after a request whose answer is lost', async () => {
    const { url, received } = await standIn([(response) => void response.destroy(), api.allocated])
    expect(await errorOf(allocatorOf({ url }).allocate({ wait: UNLIMITED }))).toMatchObject({ code: 'UNKNOWN_OUTCOME' })
    expect(received).toHaveLength(1)
  })

  test('but not after a request that timed out', async () => {
    const { url, received } = await standIn([() => undefined])
    const error = await errorOf(allocatorOf({ url, timeout: 200 }).allocate({ wait: UNLIMITED }))
    expect([error.code, error.message]).toEqual(['UNKNOWN_OUTCOME', expect.stringMatching(/no answer within 200 ms/)])
    expect(received).toHaveLength(1)
  })
})

describe('a call ends', () => {
  test('by its signal during a backoff, when nothing was allocated', async () => {
    const controller = new AbortController()
    const { url } = await standIn([api.none])
    const call = allocatorOf({ url }).allocate({ wait: UNLIMITED, signal: controller.signal })
    setTimeout(() => controller.abort(), 50)
    expect(await errorOf(call)).toMatchObject({ code: 'ABORTED' })
  })

  test('by its signal while the request is in flight, and says that a GameServer may be allocated', async () => {
    const controller = new AbortController()
    const { url } = await standIn([() => controller.abort(new Error('the player left'))])
    const error = await errorOf(allocatorOf({ url }).allocate({ signal: controller.signal }))
    expect(error).toMatchObject({ code: 'ABORTED', hint: 'The request was sent, so a GameServer may be allocated' })
    expect((error.cause as Error).message).toBe('the player left')
  })

  test('by a signal that many calls share, without a warning of Node', async () => {
    const warnings: string[] = []
    const warn = ({ name }: Error): unknown => warnings.push(name)
    process.on('warning', warn)
    onTestFinished(() => void process.off('warning', warn))
    const controller = new AbortController()
    const { url } = await standIn([api.none])
    const allocator = allocatorOf({ url })
    const calls = Array.from({ length: 12 }, () =>
      errorOf(allocator.allocate({ wait: Infinity, signal: controller.signal })),
    )
    // Node warns on the next tick.
    setImmediate(() => controller.abort())
    for (const { code } of await Promise.all(calls)) expect(code).toBe('ABORTED')
    expect(warnings).toEqual([])
  })

  test('by close(), which also rejects later calls and ends the connections', async () => {
    const { url, server } = await standIn([api.allocated, api.none])
    const allocator = allocatorOf({ url })
    await allocator.allocate()
    const call = errorOf(allocator.allocate({ wait: UNLIMITED }))
    allocator.close()
    expect(await call).toMatchObject({ code: 'CLOSED' })
    expect(await errorOf(allocator.allocate())).toMatchObject({ code: 'CLOSED' })
    server.close()
    await once(server, 'close')
  })
})

describe('a certificate', () => {
  const [certificate, client, expired] = [selfSigned(), selfSigned(), selfSigned({ until: '210101000000Z' })]
  const elsewhere = selfSigned({ host: 'agones-allocator' })
  const mutual = { ...certificate, ca: client.cert, requestCert: true, rejectUnauthorized: true }

  test.each([
    ['of an unknown authority', certificate, {}, /unknown authority.*allocator-tls-ca/],
    ['that is expired', expired, { ca: expired.cert }, /not valid today.*Renew/],
    ['for another name', elsewhere, { ca: elsewhere.cert }, /another name.*as in the certificate/],
    ["of the client that isn't there", mutual, { ca: certificate.cert }, /refuses the client's certificate/],
  ])('%s is CERTIFICATE, and is not asked again', async (_, tls, options, message) => {
    const { url } = await standIn([service.allocated], tls)
    const error = await errorOf(allocatorOf({ service: url, ...options }).allocate({ wait: UNLIMITED }))
    expect([error.code, error.message]).toEqual(['CERTIFICATE', expect.stringMatching(message)])
  })

  test('on an address that speaks plain HTTP is PROTOCOL', async () => {
    const { port } = await standIn([service.allocated])
    expect(await errorOf(allocatorOf({ service: `localhost:${port}` }).allocate())).toMatchObject({ code: 'PROTOCOL' })
  })
})

test('a name without an address is UNAVAILABLE, and names the option', async () => {
  const error = await errorOf(allocatorOf({ service: 'allocator.invalid' }).allocate())
  expect([error.code, error.message]).toEqual(['UNAVAILABLE', expect.stringMatching(/compare service$/)])
})
