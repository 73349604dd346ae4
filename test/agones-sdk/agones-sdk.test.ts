import { expect, onTestFinished, test, vi } from 'vitest'
import { AgonesSDK, type AgonesSDKError, type AgonesSDKOptions, type GameServer } from '../../src/engines/agones-sdk.js'
import { SidecarError } from '../../src/index.node.js'
import { calls, startSidecar } from '../support/with-sidecar.js'
import { startScripted } from '../support/fault-server.js'

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

test('getGameServer() resolves with the official form: camelCase, sorted pairs, numbers', async () => {
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
    countersMap: [['rooms', { count: 1, capacity: 10 }]],
    listsMap: [['players', { capacity: 100, valuesList: ['test0', 'test1', 'test2'] }]],
  })
})

test('calls that change state or metadata resolve with an empty object', async () => {
  const sidecar = await startSidecar({ mode: 'local' })
  const sdk = startSdk(sidecar)
  expect(await sdk.connect()).toBeUndefined()
  const state = async (): Promise<string> => (await sdk.getGameServer()).status.state
  expect(await sdk.allocate()).toEqual({})
  expect(await state()).toBe('Allocated')
  expect(await sdk.ready()).toEqual({})
  expect(await state()).toBe('Ready')
  expect(await sdk.reserve(-1)).toEqual({})
  expect(await state()).toBe('Reserved')
  expect(await sdk.setAnnotation('note', 'a b')).toEqual({})
  expect(await sdk.shutdown()).toEqual({})
  expect(await state()).toBe('Shutdown')
})

test.each(['Unhealthy', 'Shutdown'])(
  'state calls resolve with an empty object while the watch shows %s, as the sidecar answers them',
  async (last) => {
    const sidecar = await startSidecar({ mode: 'production' })
    const sdk = startSdk(sidecar)
    const isOver = new Promise<void>((resolve) =>
      sdk.watchGameServer(({ status }) => status.state === last && resolve()),
    )
    await sdk.ready()
    sidecar.control(last === 'Shutdown' ? { type: 'setState', state: last } : { type: 'makeUnhealthy' })
    await isOver
    expect(await Promise.all([sdk.ready(), sdk.allocate(), sdk.reserve(5), sdk.shutdown()])).toEqual([{}, {}, {}, {}])
    expect((await sdk.getGameServer()).status.state).toBe(last)
  },
)

test('beta reads and writes counters and lists by name', async () => {
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

test('beta.incrementCounter() resolves where the capacity is beyond a number’s precision', async () => {
  const sdk = startSdk(
    await startSidecar({
      mode: 'local',
      gameServer: { status: { counters: { rooms: { count: 1, capacity: '9223372036854775807' } } } },
    }),
  )
  await sdk.beta.incrementCounter('rooms', 1)
  expect((await failureOf(sdk.beta.getCounterCount('rooms'))).code).toBe('UNSAFE_INTEGER')
  const { status } = await sdk.getGameServer()
  // The official SDK also returns this count as text.
  expect(status.countersMap).toEqual([['rooms', { count: 2, capacity: '9223372036854775807' }]])
})

test.each<[string, (sdk: AgonesSDK) => Promise<unknown>, number, RegExp]>([
  ['NOT_FOUND', ({ beta }) => beta.getCounterCount('nope'), 2, /^not found\. nope Counter not/],
  ['OUT_OF_RANGE', ({ beta }) => beta.incrementCounter('rooms', 10), 2, /^out of range\. Count must/],
  ['ALREADY_EXISTS', ({ beta }) => beta.appendListValue('players', 'test0'), 2, /^already exists\. Value/],
  ['INVALID_ARGUMENT', (sdk) => sdk.reserve(1.5), 3, /1\.5$/],
])('the error %s has the gRPC number and the sidecar’s own words', async (code, call, grpcCode, details) => {
  const error = await failureOf(call(startSdk(await startSidecar({ mode: 'local' }))))
  expect(error).toBeInstanceOf(SidecarError)
  expect(error).toMatchObject({ code, grpcCode, details: expect.stringMatching(details) })
})

test('connect() rejects with UNAVAILABLE and the gRPC number 14 where nobody listens', async () => {
  const sdk = startSdk({ url: 'http://127.0.0.1:1' }, { retry: false })
  expect(await failureOf(sdk.connect())).toMatchObject({ code: 'UNAVAILABLE', grpcCode: 14 })
})

test('calls after close() reject with CLOSED, and a second close() does nothing', async () => {
  const sidecar = await startSidecar()
  const sdk = startSdk(sidecar)
  sdk.close()
  sdk.close()
  sdk.watchGameServer(() => expect.fail('the watch should stay closed'))
  for (const call of [sdk.connect(), sdk.ready(), sdk.getGameServer(), sdk.beta.getListValues('players')])
    expect(await failureOf(call)).toMatchObject({ code: 'CLOSED', grpcCode: 1 })
  // Without a callback, the error of a beat is dropped.
  sdk.health()
  expect(await new Promise((resolve) => sdk.health(resolve))).toMatchObject({ code: 'CLOSED' })
  expect(calls(sidecar)).toEqual([])
})

test('watchGameServer() calls back with the present GameServer first, and goes on after a restart of the sidecar', async () => {
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

test('watchGameServer() calls errorCallback once where no sidecar answers, and can be called again', async () => {
  const sidecar = await startScripted([
    { on: 'watch', step: ({ reply }) => reply({ status: 404, body: '{"code":5,"message":"Not Found"}' }) },
  ])
  const sdk = startSdk(sidecar)
  const ended = (): Promise<AgonesSDKError> => new Promise((resolve) => sdk.watchGameServer(() => undefined, resolve))
  expect(await ended()).toMatchObject({ code: 'UNIMPLEMENTED', grpcCode: 12 })
  expect(await ended()).toMatchObject({ code: 'UNIMPLEMENTED', grpcCode: 12 })
})

test('health() sends a beat, also after a beat that failed', async () => {
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

test('health() sends nothing while a beat is in flight', async () => {
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

test('port is AGONES_SDK_HTTP_PORT, else 9358, whatever AGONES_SDK_GRPC_PORT is', () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  const portOf = (): string => {
    const sdk = new AgonesSDK()
    sdk.close()
    return sdk.port
  }
  vi.stubEnv('AGONES_SDK_GRPC_PORT', '1')
  vi.stubEnv('AGONES_SDK_HTTP_PORT', undefined)
  expect(portOf()).toBe('9358')
  vi.stubEnv('AGONES_SDK_HTTP_PORT', '1234')
  expect(portOf()).toBe('1234')
})

test('each method of alpha rejects with FEATURE_DISABLED and names the method of beta for it', async () => {
  const { alpha, beta } = startSdk({ url: 'http://127.0.0.1:1' })
  for (const [operation, call] of Object.entries(alpha)) {
    const error = await failureOf(call('alice'))
    expect(error).toMatchObject({ code: 'FEATURE_DISABLED', grpcCode: 2, operation })
    expect(Object.keys(beta)).toContain(/sdk\.beta\.(\w+)\('players'/.exec(error.hint!)![1])
  }
})
