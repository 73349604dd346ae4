import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { AgonesSDK, type AgonesSDKError, type AgonesSDKOptions, type GameServer } from '../../src/agones-sdk/index.js'
import { SidecarError } from '../../src/index.node.js'
import { createMock } from '../../src/mock/index.js'
import { calls, startSidecar } from '../support/with-sidecar.js'
import { startScripted } from '../support/with-scripted-sidecar.js'

/** The class for one test; closed with it. */
function startSdk({ url }: { url: string }, options: AgonesSDKOptions = {}): AgonesSDK {
  const sdk = new AgonesSDK({ baseUrl: url, ...options })
  onTestFinished(() => sdk.close())
  return sdk
}

const failureOf = (call: Promise<unknown>): Promise<AgonesSDKError> =>
  call.then(
    () => expect.fail('the call should reject'),
    (error: unknown) => error as AgonesSDKError,
  )

describe('what the methods of the official class do', () => {
  test('getGameServer() gives the official form: camelCase, sorted pairs, numbers', async () => {
    const sidecar = await startSidecar({ mode: 'local' })
    const sdk = startSdk(sidecar)
    await sdk.connect()
    await sdk.setLabel('mode', 'duel')
    const { objectMeta, spec, status } = await sdk.getGameServer()
    expect(objectMeta).toStrictEqual({
      name: 'local',
      namespace: 'default',
      uid: '1234',
      resourceVersion: 'v1',
      generation: 1,
      creationTimestamp: expect.any(Number),
      deletionTimestamp: 0,
      annotationsMap: [['annotation', 'true']],
      labelsMap: [
        ['agones.dev/sdk-mode', 'duel'],
        ['islocal', 'true'],
      ],
    })
    expect(spec).toStrictEqual({
      health: { disabled: false, periodSeconds: 3, failureThreshold: 5, initialDelaySeconds: 10 },
    })
    expect(status).toStrictEqual({
      state: 'Ready',
      address: '127.0.0.1',
      addressesList: [],
      portsList: [{ name: 'default', port: 7777 }],
      players: undefined,
      countersMap: [['rooms', { count: 1, capacity: 10 }]],
      listsMap: [['players', { capacity: 100, valuesList: ['test0', 'test1', 'test2'] }]],
    })
  })

  test('each call of the state and of metadata resolves with an empty object once it is accepted', async () => {
    const sidecar = await startSidecar({ mode: 'local' })
    const sdk = startSdk(sidecar)
    expect(await sdk.connect()).toBeUndefined()
    const state = async (): Promise<string> => (await sdk.getGameServer()).status.state
    expect(await sdk.allocate()).toEqual({})
    expect(await state()).toBe('Allocated')
    expect(await sdk.ready()).toEqual({})
    expect(await state()).toBe('Ready')
    expect(await sdk.reserve(100)).toEqual({})
    expect(await state()).toBe('Reserved')
    expect(await sdk.setAnnotation('note', 'a b')).toEqual({})
    expect(await sdk.shutdown()).toEqual({})
    expect(await state()).toBe('Shutdown')
  })

  test('a time below 0 reserves for good, as it does there', async () => {
    const sidecar = await startSidecar({ mode: 'local' })
    const sdk = startSdk(sidecar)
    await sdk.reserve(-1)
    expect((await sdk.getGameServer()).status.state).toBe('Reserved')
  })

  test('counters and lists are read and written by name', async () => {
    const { beta } = startSdk(await startSidecar({ mode: 'local' }))
    expect(await beta.getCounterCount('rooms')).toBe(1)
    expect(await beta.incrementCounter('rooms', 4)).toBeUndefined()
    await beta.decrementCounter('rooms', 2)
    expect(await beta.getCounterCount('rooms')).toBe(3)
    await beta.setCounterCount('rooms', 7)
    expect(await beta.getCounterCount('rooms')).toBe(7)
    await beta.setCounterCapacity('rooms', 20)
    expect(await beta.getCounterCapacity('rooms')).toBe(20)
    await beta.setListCapacity('players', 4)
    expect(await beta.getListCapacity('players')).toBe(4)
    expect(await beta.appendListValue('players', 'Ada')).toBeUndefined()
    expect(await beta.getListValues('players')).toEqual(['test0', 'test1', 'test2', 'Ada'])
    expect(await beta.listContains('players', 'Ada')).toBe(true)
    await beta.deleteListValue('players', 'Ada')
    expect(await beta.listContains('players', 'Ada')).toBe(false)
    expect(await beta.getListLength('players')).toBe(3)
  })

  test('a capacity beyond a number’s precision doesn’t make a change fail that was made', async () => {
    const sdk = startSdk(
      await startSidecar({
        mode: 'local',
        gameServer: { status: { counters: { rooms: { count: 1, capacity: '9223372036854775807' } } } },
      }),
    )
    await sdk.beta.incrementCounter('rooms', 1)
    expect((await failureOf(sdk.beta.getCounterCount('rooms'))).code).toBe('UNSAFE_INTEGER')
    const { status } = await sdk.getGameServer()
    // As text, which is what the official one gives for it.
    expect(status.countersMap).toEqual([['rooms', { count: 2, capacity: '9223372036854775807' }]])
  })
})

describe('errors', () => {
  test.each<[string, (sdk: AgonesSDK) => Promise<unknown>, string, number, string]>([
    [
      'an unknown counter',
      (sdk) => sdk.beta.getCounterCount('nope'),
      'NOT_FOUND',
      2,
      'not found. nope Counter not found',
    ],
    [
      'a full counter',
      (sdk) => sdk.beta.incrementCounter('rooms', 10),
      'OUT_OF_RANGE',
      2,
      'out of range. Count must be within range [0,Capacity]. Found Count: 11, Capacity: 10',
    ],
    [
      'a value that is there',
      (sdk) => sdk.beta.appendListValue('players', 'test0'),
      'ALREADY_EXISTS',
      2,
      'already exists. Value: test0 already in List: players',
    ],
    [
      'an argument that can’t be right',
      (sdk) => sdk.reserve(1.5),
      'INVALID_ARGUMENT',
      3,
      'seconds must be 0 to 9223372036; got 1.5',
    ],
  ])('of %s has our code, gRPC’s number and the sidecar’s own words', async (_what, call, code, grpcCode, details) => {
    const error = await failureOf(call(startSdk(await startSidecar({ mode: 'local' }))))
    expect(error).toBeInstanceOf(SidecarError)
    expect(error).toMatchObject({ code, grpcCode, details })
  })

  test('connect() rejects where nobody listens, with the number for it', async () => {
    const sdk = startSdk({ url: 'http://127.0.0.1:1' }, { retry: false })
    expect(await failureOf(sdk.connect())).toMatchObject({ code: 'UNAVAILABLE', grpcCode: 14 })
  })

  test('every call after close() rejects', async () => {
    const sidecar = await startSidecar()
    const sdk = startSdk(sidecar)
    sdk.close()
    for (const call of [sdk.ready(), sdk.beta.getListValues('players'), sdk.alpha.getPlayerCount()])
      expect(await failureOf(call)).toMatchObject({ code: 'CLOSED', grpcCode: 1 })
    expect(calls(sidecar)).toEqual([])
  })
})

describe('the watch', () => {
  test('tells the present GameServer first, and goes on after the sidecar was away, without an error', async () => {
    const sidecar = await startSidecar({ mode: 'local' })
    const sdk = startSdk(sidecar)
    const told: GameServer[] = []
    const onError = vi.fn()
    sdk.watchGameServer((gameServer) => void told.push(gameServer), onError)
    const states = (): string[] => told.map(({ status }) => status.state)
    await expect.poll(states).toEqual(['Ready'])
    await sidecar.restart()
    sidecar.control({ type: 'allocate', labels: { map: 'x' } })
    await expect.poll(states).toContain('Allocated')
    expect(told.at(-1)).toStrictEqual(await sdk.getGameServer())
    expect(onError).not.toHaveBeenCalled()
  })

  test('ends with one error where what answers is no sidecar, and can be started again', async () => {
    const sidecar = await startScripted([
      { on: 'watch', step: ({ reply }) => reply({ status: 404, body: '{"code":5,"message":"Not Found"}' }) },
    ])
    const sdk = startSdk(sidecar)
    const ended = (): Promise<AgonesSDKError> => new Promise((resolve) => sdk.watchGameServer(() => undefined, resolve))
    expect(await ended()).toMatchObject({ code: 'UNIMPLEMENTED', grpcCode: 12 })
    expect(await ended()).toMatchObject({ code: 'UNIMPLEMENTED', grpcCode: 12 })
  })
})

describe('beats', () => {
  test('each call sends one, also after one has failed', async () => {
    const sidecar = await startSidecar({ mode: 'local' })
    const sdk = startSdk(sidecar, { retry: false })
    await sdk.connect()
    sidecar.control({ type: 'failCalls', operations: ['health'], status: 500, message: 'no', count: 1 })
    const error = await new Promise<AgonesSDKError>((resolve) => sdk.health(resolve))
    expect(error).toMatchObject({ operation: 'health', grpcCode: 2, details: 'no' })
    const beats = (): number => calls(sidecar).filter((name) => name === 'health').length
    const onError = vi.fn()
    await expect
      .poll(() => {
        sdk.health(onError)
        return beats()
      })
      .toBeGreaterThan(3)
    expect(onError).not.toHaveBeenCalled()
  })

  test('those that would wait behind one that isn’t answered yet are not sent after it', async () => {
    let answer = (): void => undefined
    const sidecar = await startScripted([
      { on: 'POST /health', nth: 1, step: ({ reply }) => new Promise((resolve) => (answer = () => resolve(reply()))) },
    ])
    const sdk = startSdk(sidecar)
    const sent = (): number => sidecar.requests.filter(({ path }) => path === '/health').length
    sdk.health()
    await sidecar.until(() => sent() === 1, 'the first beat')
    for (let i = 0; i < 10; i++) sdk.health()
    await sdk.setLabel('a', 'b')
    expect(sent()).toBe(1)
    answer()
    await expect
      .poll(() => {
        sdk.health()
        return sent()
      })
      .toBeGreaterThan(1)
  })

  test('one that fails without a callback ends nothing', async () => {
    const sdk = startSdk(await startSidecar())
    sdk.close()
    expect(sdk.health()).toBeUndefined()
    const error = await new Promise<AgonesSDKError>((resolve) => sdk.health(resolve))
    expect(error.code).toBe('CLOSED')
  })
})

test('player tracking, which is off, says what to use instead', async () => {
  const { alpha } = startSdk(await startSidecar())
  const fates = await Promise.all(
    [
      alpha.playerConnect('Ada'),
      alpha.playerDisconnect('Ada'),
      alpha.setPlayerCapacity(10),
      alpha.getPlayerCapacity(),
      alpha.getPlayerCount(),
      alpha.isPlayerConnected('Ada'),
      alpha.getConnectedPlayers(),
    ].map(failureOf),
  )
  for (const failure of fates)
    expect(failure).toMatchObject({
      code: 'FEATURE_DISABLED',
      grpcCode: 2,
      details: 'PlayerTracking not enabled',
      hint: expect.stringContaining('trackPlayers()'),
    })
})

test('player tracking that is on, unknown, or without an answer', async () => {
  const sidecar = await startScripted([
    { on: 'POST /alpha/player/connect', step: ({ reply }) => reply({ body: '{"bool":true}' }) },
    { on: 'GET /alpha/player/count', step: ({ reply }) => reply({ body: '{"count":"3"}' }) },
    { on: 'GET /alpha/player/connected', step: ({ reply }) => reply({ status: 404, body: '404 page not found' }) },
    { on: 'POST /alpha/player/disconnect', step: (exchange) => exchange.break('reset') },
    { on: 'GET /alpha/player/capacity', step: (exchange) => exchange.break('reset') },
  ])
  const { alpha } = startSdk(sidecar)
  expect(await alpha.playerConnect('Ada')).toBe(true)
  expect(sidecar.requests.at(-1)?.body).toBe('{"playerID":"Ada"}')
  expect(await alpha.getPlayerCount()).toBe(3)
  expect(await failureOf(alpha.getConnectedPlayers())).toMatchObject({ code: 'UNIMPLEMENTED', grpcCode: 12 })
  expect(await failureOf(alpha.playerDisconnect('Ada'))).toMatchObject({ code: 'UNKNOWN_OUTCOME', grpcCode: 14 })
  expect(await failureOf(alpha.getPlayerCapacity())).toMatchObject({ code: 'UNAVAILABLE', grpcCode: 14 })
})

test('the port is the HTTP one of the environment, else 9358, whatever the gRPC port is', () => {
  const { AGONES_SDK_HTTP_PORT: http, AGONES_SDK_GRPC_PORT: grpc } = process.env
  onTestFinished(() => {
    for (const [name, value] of Object.entries({ AGONES_SDK_HTTP_PORT: http, AGONES_SDK_GRPC_PORT: grpc }))
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  })
  const portOf = (): string => {
    const sdk = new AgonesSDK()
    sdk.close()
    return sdk.port
  }
  process.env['AGONES_SDK_GRPC_PORT'] = '1'
  delete process.env['AGONES_SDK_HTTP_PORT']
  expect(portOf()).toBe('9358')
  process.env['AGONES_SDK_HTTP_PORT'] = '1234'
  expect(portOf()).toBe('1234')
})

test('it takes the options of a mock, so that a game that was written for the official SDK can be tested with one', async () => {
  const mock = createMock({ time: 'auto' })
  onTestFinished(() => mock.close())
  const sdk = new AgonesSDK(mock.options)
  onTestFinished(() => sdk.close())
  await sdk.connect()
  await sdk.ready()
  mock.expect('ready', 1)
})
