import { describe, expect, test } from 'vitest'
import type { FailHow } from '../../src/platform/mock.js'
import { play, stateOf } from './support.js'

const transports = ['websocket', 'stream'] as const

describe('fail()', () => {
  test('fail() with a status and times fails so many calls, and the client retries', async () => {
    const { mock, client } = play({ time: 'auto' })
    mock.fail('ready', { status: 503, times: 2 })
    await client.ready()
    expect(mock.expect('ready', 3).map(({ status }) => status)).toEqual([503, 503, 200])
  })

  test('the status and message of fail() reach the game', async () => {
    const { mock, client } = play()
    mock.fail('setLabel', { status: 400, message: 'no labels today' })
    await expect(client.setLabel('map', 'x')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      status: 400,
      message: expect.stringContaining('no labels today') as string,
    })
  })

  test('the latest fail() decides until it is undone', async () => {
    const { mock, client } = play({}, { retry: false })
    const undoFirst = mock.fail('*', { status: 500 })
    const undoSecond = mock.fail(['ready', 'health'], { status: 404 })
    const statuses = async (): Promise<unknown[]> => {
      const calls = await Promise.allSettled([client.ready(), client.setLabel('a', 'b')])
      return calls.map((call) => (call.status === 'fulfilled' ? 200 : (call.reason as { status: number }).status))
    }
    expect(await statuses()).toEqual([404, 500])
    undoSecond()
    undoSecond()
    expect(await statuses()).toEqual([500, 500])
    undoFirst()
    expect(await statuses()).toEqual([200, 200])
  })

  test('with only a delay, the call succeeds late', async () => {
    const { mock, client } = play()
    await client.connect()
    mock.fail('setLabel', { delay: 2_000 })
    const written = client.setLabel('a', 'b')
    await mock.advance(1_999)
    expect(await stateOf(written)).toBe('pending')
    await mock.advance(1)
    expect(await written).toBe('accepted')
  })

  test('a write whose connection resets has an unknown outcome; with apply it took effect', async () => {
    const { mock, client } = play({}, { retry: false })
    mock.fail('updateCounter', { network: 'reset', apply: true, times: 1 })
    mock.control({ type: 'setCounter', name: 'rooms', count: 0, capacity: 10 })
    await expect(client.updateCounter('rooms', { countDiff: 1 })).rejects.toMatchObject({ code: 'UNKNOWN_OUTCOME' })
    expect(await client.getCounter('rooms')).toMatchObject({ count: 1 })
  })

  test('with a timeout, the call is pending until the client gives up', async () => {
    const { mock, client } = play({}, { timeout: 4_000, retry: false })
    mock.fail('setLabel', { network: 'timeout' })
    const written = client.setLabel('a', 'b').catch((error: unknown) => (error as { code: string }).code)
    await mock.advance(3_999)
    expect(await stateOf(written)).toBe('pending')
    await mock.advance(1)
    expect(await written).toBe('UNKNOWN_OUTCOME')
  })

  test.each([
    [{ network: 'reset', times: 3 }],
    [{ network: 'timeout', times: 2 }],
    [{ status: 503, times: 2 }],
    [{ delay: 6_000, times: 1 }],
    [{ delay: 1_000, status: 500, times: 2 }],
  ] as [FailHow][])('a watch that fails with %j is opened again, and no state is missed', async (how) => {
    for (const watch of transports) {
      const { mock, client } = play({}, { watch })
      const states: string[] = []
      mock.fail('watchGameServer', how)
      client.on('state', ({ state }) => states.push(state))
      await mock.advance(60_000)
      expect(client.status.connection, watch).toBe('connected')
      mock.control({ type: 'setState', state: 'Ready' })
      await mock.advance(0)
      expect(states.at(-1), watch).toBe('Ready')
    }
  })
})

describe('the game server', () => {
  test('allocate() throws if it fails; with a manifest it returns UnAllocated as a cluster does', async () => {
    const { mock, client } = play()
    expect(() => mock.allocate()).toThrow(/state is Scheduled, must be Ready/)
    const manifest = {
      apiVersion: 'allocation.agones.dev/v1',
      kind: 'GameServerAllocation',
      spec: { selectors: [{ gameServerState: 'Ready' }], metadata: { labels: { mode: 'dm' } } },
    } as const
    expect(mock.allocate(manifest)).toMatchObject({ status: { state: 'UnAllocated' } })
    await client.ready()
    await mock.advance(1_000)
    expect(mock.allocate(manifest).status).toMatchObject({
      state: 'Allocated',
      gameServerName: mock.gameServer.object_meta.name,
    })
    expect(mock.gameServer.object_meta.labels).toMatchObject({ mode: 'dm' })
  })

  test.each(transports)('a dropped watch by %s is opened again, and no state comes twice', async (watch) => {
    const { mock, client } = play({}, { watch })
    const states: string[] = []
    client.on('state', ({ state }) => states.push(state))
    await client.ready()
    await mock.advance(1_000)
    mock.dropWatch()
    await mock.advance(0)
    mock.expect('watchGameServer', 2)
    mock.allocate()
    await mock.advance(10_000)
    expect(client.status.connection).toBe('connected')
    expect(states).toEqual(['Scheduled', 'RequestReady', 'Ready', 'Allocated'])
  })

  test.each(transports)('while the sidecar restarts calls are pending, and no join is doubled (%s)', async (watch) => {
    const { mock, client } = play({ gameServer: { spec: { lists: { players: { capacity: 10 } } } } }, { watch })
    const added: string[] = []
    client.on('list', (list) => added.push(...list.added))
    await mock.advance(1_000)
    await client.addListValue('players', 'ann')
    await mock.advance(1_000)
    mock.restart({ downMs: 5_000 })
    const joined = client.addListValue('players', 'bob')
    await mock.advance(4_999)
    expect(await stateOf(joined)).toBe('pending')
    await mock.advance(10_000)
    expect((await joined).values).toEqual(['ann', 'bob'])
    expect(added).toEqual(['ann', 'bob'])
    expect(mock.gameServer.status.lists?.['players']?.values).toEqual(['ann', 'bob'])
  })

  test('an object over 64 KiB ends the WebSocket as in a pod, and the client falls back to the stream', async () => {
    const { mock, client } = play()
    client.on('gameserver', () => undefined)
    await mock.advance(1_000)
    expect(client.status.transport).toBe('websocket')
    mock.control({ type: 'padObject', bytes: 70_000 })
    await mock.advance(10_000)
    expect(client.status.transport).toBe('stream')
  })

  test('after close() every call fails', async () => {
    const { mock, client } = play({}, { retry: false, timeout: 50 })
    await client.ready()
    mock.close()
    await expect(client.setLabel('a', 'b')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})
