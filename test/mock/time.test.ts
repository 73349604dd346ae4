import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/index.js'
import { createMock } from '../../src/platform/mock.js'
import { play, stateOf } from './support.js'

describe('manual time', () => {
  test('manual time stands still until advance()', async () => {
    const { mock, client } = play()
    await client.ready()
    const ready = client.waitFor('Ready')
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(mock.now).toBe(0)
    expect(mock.gameServer.status.state).toBe('Scheduled')
    await mock.advance(499)
    expect(mock.gameServer.status.state).toBe('Scheduled')
    await mock.advance(1)
    expect(mock.gameServer.status.state).toBe('RequestReady')
    expect(await stateOf(ready)).toBe('pending')
    await mock.advance(20)
    expect((await ready).status.state).toBe('Ready')
  })

  test('timers fire in order, each at its time, and promises settle in between', async () => {
    const { mock } = play()
    const { scheduler, now } = mock.options
    const seen: string[] = []
    const note = (name: string): void => void seen.push(`${name} at ${now()}`)
    scheduler.setTimeout(() => note('second'), 20)
    scheduler.setTimeout(() => {
      note('first')
      void (async () => {
        // More turns of promises than anybody would count.
        for (let i = 0; i < 1_000; i++) await Promise.resolve()
        note('set off by the first')
        scheduler.setTimeout(() => note('timer of the first'), 5)
      })()
    }, 10)
    const never = scheduler.setTimeout(() => note('cancelled'), 12)
    scheduler.clearTimeout(never as never)
    await mock.advance(30)
    expect(seen).toEqual(['first at 10', 'set off by the first at 10', 'timer of the first at 15', 'second at 20'])
    expect(now()).toBe(30)
  })

  test('advance() returns although timers are due after less time than the clock resolves', async () => {
    const { mock } = play()
    const { scheduler, now } = mock.options
    await mock.advance(10_000.3)
    let fired = 0
    const again = (): void => {
      if (++fired < 1_000) scheduler.setTimeout(again, 7e-13)
    }
    scheduler.setTimeout(again, 7e-13)
    await mock.advance(10)
    expect(now()).toBe(10_010.3)
    expect(fired).toBeLessThanOrEqual(10)
  })

  test('concurrent calls of advance() run one after the other', async () => {
    const { mock } = play()
    await Promise.all([mock.advance(1_000), mock.advance(500), mock.advance(0)])
    expect(mock.now).toBe(1_500)
  })

  test.each([NaN, -1, Infinity])('advance(%s) is refused', async (ms) => {
    const { mock } = play()
    await expect(mock.advance(ms)).rejects.toThrow(/^advance\(\) must be ms of at least 0; got /)
  })
})

describe('auto time', () => {
  test('auto time skips while a call or waitFor() is pending, and otherwise stands still', async () => {
    const { mock, client } = play({ time: 'auto' }, { autoHealth: true })
    await client.ready()
    await client.waitFor('Ready')
    const { now } = mock
    expect(now).toBe(520)
    // Beats and checks of the watch are due all the time, but nobody waits for them.
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(mock.now).toBe(now)
    await client.reserve(30, { confirm: true })
    await client.waitFor('Ready')
    expect(mock.now).toBeGreaterThan(now + 30_000)
    expect(mock.now).toBeLessThan(now + 40_000)
  })

  test('in auto time a waitFor() that never succeeds ends by its timeout', async () => {
    const { client } = play({ time: 'auto' }, { autoHealth: true })
    await expect(client.waitFor('Allocated', { timeout: 60_000 })).rejects.toMatchObject({ code: 'TIMEOUT' })
  })

  test('a waitFor() without a timeout makes auto time skip one hour at most', async () => {
    const { mock, client } = play({ time: 'auto', gameServer: { spec: { health: { disabled: true } } } })
    await client.ready()
    const allocated = client.waitFor('Allocated')
    await expect.poll(() => mock.now).toBeGreaterThan(3_580_000)
    const { now } = mock
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(mock.now - now).toBeLessThan(25_000)
    expect(mock.gameServer.status.state).toBe('Ready')
    mock.allocate()
    await allocated
  })
})

describe('real time', () => {
  test('real time passes by itself, faster with setClock, and stops at speed 0', async () => {
    const { mock, client } = play({ time: 'real' })
    mock.control({ type: 'setClock', speed: 100 })
    await client.ready()
    await client.waitFor('Ready')
    mock.control({ type: 'setClock', speed: 0 })
    const { now } = mock
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(mock.now).toBe(now)
    await mock.advance(20_000)
    expect(mock.gameServer.status.state).toBe('Unhealthy')
  })

  test('setClock is refused unless time is real', () => {
    const { mock } = play()
    expect(() => mock.control({ type: 'setClock', speed: 2 })).toThrow(
      'only a mock with time: "real" has a speed; this one has manual time',
    )
  })
})

test('every run is the same', async () => {
  const run = async (): Promise<string> => {
    const mock = createMock()
    const client = createClient({ ...mock.options, autoHealth: true })
    const events: unknown[] = []
    client.on('connection', ({ state }) => events.push([state, mock.now]))
    mock.fail('getGameServer', { network: 'reset', times: 9 })
    mock.fail('watchGameServer', { network: 'reset', times: 9 })
    await mock.advance(60_000)
    client.close()
    mock.close()
    return JSON.stringify([events, mock.calls, mock.sidecar.log.entries()])
  }
  expect(await run()).toBe(await run())
})

test('after close() no timer is left, and none can be set', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const { mock, client } = play({ time: 'real' }, { autoHealth: true })
  await client.ready()
  expect(timers()).toBe(before + 1)
  mock.close()
  let fired = false
  mock.options.scheduler.setTimeout(() => (fired = true), 0)
  expect(timers()).toBe(before)
  await new Promise((resolve) => setImmediate(resolve))
  expect(fired).toBe(false)
})

test.each([
  [undefined, 60_000, 'arena'],
  [true, 2_000, /^arena-\w+$/],
  [5_000, 2_000, 'arena'],
  [5_000, 6_000, /^arena-\w+$/],
])('with replace: %j, a GameServer that ended is after %i ms %s', async (replace, ms, name) => {
  const { mock, client } = play({ replace, gameServer: { metadata: { name: 'arena' } } })
  await client.shutdown()
  // After 500 ms the shutdown is written; then the wait for the next GameServer begins.
  await mock.advance(600)
  expect(mock.gameServer.object_meta.name).toBe('arena')
  await mock.advance(ms)
  expect(mock.gameServer.object_meta.name).toMatch(new RegExp(name))
})
