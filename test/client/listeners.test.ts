import { afterEach, expect, test, vi, type Mock } from 'vitest'
import type { ClientOptions, SidecarClient } from '../../src/index.js'
import { gameServer } from '../support/game-server.js'
import { collectUncaught } from '../support/uncaught.js'
import { turns } from '../support/until.js'
import { connected } from './clients.js'

afterEach(() => vi.unstubAllGlobals())

test('off() removes a listener from its event and from no other', async () => {
  const { client, show } = await connected()
  const [listener, other] = [vi.fn(), vi.fn()]
  client.on('gameserver', listener as never)
  client.on('state', listener as never)
  client.on('state', other)
  await turns()
  listener.mockClear()
  client.off('state', listener as never)
  client.off('state', () => {})
  await show(2, { state: 'Allocated' })
  expect(listener.mock.calls).toEqual([[gameServer(2, { state: 'Allocated' })]])
  expect(other).toHaveBeenCalledTimes(2)
})

test('off() with a context removes only the listener of that context, and without a context any', async () => {
  const { client, show } = await connected()
  const [a, b] = [{ name: 'a' }, { name: 'b' }]
  const contexts: unknown[] = []
  function listener(this: unknown): void {
    contexts.push(this)
  }
  client.on('state', listener, a)
  client.on('state', listener, b)
  client.off('state', listener, {})
  client.off('state', listener, b)
  await show(2, { state: 'Allocated' })
  expect(contexts).toEqual([a, a])
  client.off('state', listener)
  await show(3, { state: 'Ready' })
  expect(contexts).toEqual([a, a])
})

test('unsubscribing twice, or within an event, removes nobody else', async () => {
  const { client, show } = await connected()
  const [first, second] = [vi.fn(), vi.fn()]
  const off = client.on('connection', first)
  client.on('state', ({ state }) => {
    if (state === 'Allocated') client.off('state', second)
  })
  client.on('state', second)
  await turns()
  second.mockClear()
  off()
  off()
  await show(2, { state: 'Allocated' })
  expect([first.mock.calls, second.mock.calls]).toEqual([[], []])
  client.on('state', second)
  await turns()
  expect(second).toHaveBeenCalledTimes(1)
})

test('a late listener is told the last object once, after on() has returned, and then each change', async () => {
  const { client, show } = await connected()
  const states: unknown[] = []
  client.on('state', ({ state, previous }) => void states.push([state, previous]))
  expect(states).toEqual([])
  await show(2, { state: 'Allocated' })
  expect(states).toEqual([
    ['Ready', undefined],
    ['Allocated', 'Ready'],
  ])
})

test('a late listener that is removed, or whose client is closed, at once is told nothing but that', async () => {
  const { client, show } = await connected()
  const listener = vi.fn()
  const connections: string[] = []
  client.on('state', listener)()
  await show(2, { state: 'Allocated' })
  client.on('state', listener)
  client.on('connection', ({ state }) => void connections.push(state))
  client.close()
  await turns()
  expect([listener.mock.calls, connections]).toEqual([[], ['closed']])
})

test('a label listener added within an event is told each label once', async () => {
  const { client, show } = await connected({}, { labels: { a: '1', b: '2' } })
  const told: string[] = []
  client.on('state', ({ state }) => {
    if (state === 'Allocated') client.on('label', ({ key, value }) => void told.push(`${key}=${value}`))
  })
  await show(2, { state: 'Allocated', labels: { a: '1', b: '2', c: '3' } })
  expect(told.sort()).toEqual(['a=1', 'b=2', 'c=3'])
})

/** Has a client find out by itself that its watch is refused. */
async function refused(options: ClientOptions, listener?: (error: unknown) => void): Promise<SidecarClient> {
  const { client, sidecar } = await connected({ random: () => 0, retry: { initialDelay: 10 }, ...options })
  if (listener) client.on('error', listener)
  sidecar.play([{ on: 'watch', step: (exchange) => exchange.reply({ status: 404 }) }])
  await sidecar.stop()
  await sidecar.start()
  await sidecar.until(() => sidecar.requests.filter(({ path }) => path === '/watch/gameserver').length > 6, 'retries')
  return client
}

test('an error event without a listener is logged, if the logger takes warnings', async () => {
  const warn = vi.fn()
  await Promise.all([refused({ logger: { warn } }), refused({ logger: {} }), refused({})])
  expect(warn.mock.calls).toEqual([[expect.stringContaining('404')]])
})

test('an error event with a listener is not logged', async () => {
  const [warn, listener] = [vi.fn(), vi.fn()]
  await refused({ logger: { warn } }, listener)
  expect(listener.mock.calls).toMatchObject([[{ code: 'PROTOCOL', operation: 'watchGameServer', status: 404 }]])
  expect(warn).not.toHaveBeenCalled()
})

const fault = new Error('a bug of the game')
/** What the host's `reportError` and the process are told of it. */
async function failing(options: ClientOptions, reportError?: Mock): Promise<unknown[]> {
  const uncaught = collectUncaught()
  vi.stubGlobal('reportError', reportError)
  const { client, show } = await connected(options)
  const told: unknown[] = []
  client.on('state', () => {
    throw fault
  })
  client.on('state', ({ state }) => void told.push(state))
  await show(2, { state: 'Allocated' })
  expect(told).toEqual(['Ready', 'Allocated'])
  return uncaught
}

test('an exception in a listener goes to the logger alone, or to reportError, or is uncaught', async () => {
  const [error, reportError] = [vi.fn(), vi.fn()]
  expect(await failing({ logger: { error } }, reportError)).toEqual([])
  expect([error.mock.calls, reportError.mock.calls]).toEqual([[[fault], [fault]], []])
  expect(await failing({ logger: {} }, reportError)).toEqual([])
  expect(reportError.mock.calls).toEqual([[fault], [fault]])
  expect(await failing({})).toEqual([fault, fault])
})

test('close() in a listener of a watch that fetch carries leaves no rejection unhandled', async () => {
  const uncaught = collectUncaught()
  const { client, show } = await connected({ watch: 'stream', fetch: fetch as never })
  client.on('state', ({ state }) => {
    if (state === 'Shutdown') client.close()
  })
  await expect(show(2, { state: 'Shutdown' })).rejects.toMatchObject({ code: 'CLOSED' })
  await turns()
  expect(uncaught).toEqual([])
})
