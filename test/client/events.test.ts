import { expect, it, vi } from 'vitest'
import type { SidecarEvents } from '../../src/index.js'
import { connectClient, startSidecar } from '../support/with-sidecar.js'

function record<T extends keyof SidecarEvents>(): [SidecarEvents[T][], (event: SidecarEvents[T]) => void] {
  const events: SidecarEvents[T][] = []
  return [events, (event) => void events.push(event)]
}

it('every change comes as its own event, the first object as a change from nothing', async () => {
  const sidecar = await startSidecar()
  const client = connectClient(sidecar)
  const [labels, onLabel] = record<'label'>()
  const [counters, onCounter] = record<'counter'>()
  const [lists, onList] = record<'list'>()
  const [states, onState] = record<'state'>()
  client.on('label', onLabel)
  client.on('counter', onCounter)
  client.on('list', onList)
  client.on('state', onState)
  await client.waitFor('Scheduled')
  expect(states).toMatchObject([{ state: 'Scheduled', previous: undefined }])
  expect(counters).toEqual([{ name: 'rooms', count: 1, capacity: 10, previous: undefined }])
  expect(lists).toMatchObject([{ name: 'players', added: ['test0', 'test1', 'test2'], removed: [] }])

  await client.setLabel('mode', 'ctf', { confirm: true })
  expect(labels.at(-1)).toEqual({ key: 'mode', value: 'ctf', previous: undefined })
  sidecar.control({ type: 'setLabel', key: 'match', value: '7' })
  await client.waitFor((gs) => gs.object_meta.labels?.['match'] === '7')
  expect(labels.at(-1)).toEqual({ key: 'match', value: '7', previous: undefined })

  sidecar.control({ type: 'setCounter', name: 'rooms', count: 3 })
  sidecar.control({ type: 'setList', name: 'players', values: ['test1', 'new'] })
  await client.waitFor((gs) => gs.status.lists?.['players']?.values?.includes('new') ?? false)
  expect(counters.at(-1)).toMatchObject({ count: 3, previous: { name: 'rooms', count: 1, capacity: 10 } })
  expect(lists.at(-1)).toMatchObject({ values: ['test1', 'new'], added: ['new'], removed: ['test0', 'test2'] })
})

it('who listens late is told the last object, once, after on() has returned', async () => {
  const sidecar = await startSidecar()
  const client = connectClient(sidecar)
  await client.waitFor(() => true)
  const [states, onState] = record<'state'>()
  const off = client.on('state', onState)
  expect(states).toEqual([])
  await Promise.resolve()
  expect(states).toMatchObject([{ state: 'Scheduled', previous: undefined }])
  off()
  const [others, onOther] = record<'gameserver'>()
  client.on('gameserver', onOther)()
  await Promise.resolve()
  expect(others).toEqual([])
})

it('a listener that throws stops nobody else, and its error reaches the host', async () => {
  const sidecar = await startSidecar()
  const reportError = vi.fn()
  vi.stubGlobal('reportError', reportError)
  const client = connectClient(sidecar)
  const fault = new Error('a bug of the game')
  client.on('gameserver', () => {
    throw fault
  })
  const [seen, onSeen] = record<'gameserver'>()
  client.on('gameserver', onSeen)
  await client.ready({ confirm: true })
  vi.unstubAllGlobals()
  expect(seen.at(-1)?.status.state).toBe('Ready')
  expect(reportError).toHaveBeenCalledWith(fault)
  expect(client.status.connection).toBe('connected')
})

it('unsubscribing twice, or in the middle of an event, removes nobody else', async () => {
  const sidecar = await startSidecar()
  const client = connectClient(sidecar)
  const [first, onFirst] = record<'connection'>()
  const [second, onSecond] = record<'connection'>()
  const off = client.on('connection', onFirst)
  client.on('connection', () => off())
  client.on('connection', onSecond)
  off()
  off()
  client.off('connection', onFirst)
  await client.connect()
  expect(first).toEqual([])
  expect(second.length).toBeGreaterThan(0)
})

it('the listener gets its context, and off() finds it by that', async () => {
  const sidecar = await startSidecar()
  const client = connectClient(sidecar)
  const contexts: unknown[] = []
  function listener(this: unknown): void {
    contexts.push(this)
  }
  const [a, b] = [{ name: 'a' }, { name: 'b' }]
  client.on('connection', listener, a)
  client.on('connection', listener, b)
  client.off('connection', listener, a)
  await client.connect()
  expect(contexts).toEqual([b])
})

it('an error event without a listener does nothing', async () => {
  const sidecar = await startSidecar()
  const client = connectClient(sidecar)
  await client.waitFor(() => true)
  sidecar.control({ type: 'makeUnhealthy' })
  await client.waitFor('Unhealthy')
  expect(client.status.connection).toBe('connected')
})

it('Unhealthy is said once, with what it means for state calls', async () => {
  const sidecar = await startSidecar()
  const client = connectClient(sidecar)
  const [errors, onError] = record<'error'>()
  client.on('error', onError)
  await client.waitFor(() => true)
  sidecar.control({ type: 'makeUnhealthy' })
  await client.waitFor('Unhealthy')
  expect(errors).toMatchObject([{ code: 'UNAVAILABLE', hint: expect.stringContaining('ignores') }])
})

it('one connection serves every listener and iterator', async () => {
  const sidecar = await startSidecar()
  const client = connectClient(sidecar)
  client.on('gameserver', () => {})
  const [a, b] = [client.watchGameServer()[Symbol.asyncIterator](), client.watchGameServer()[Symbol.asyncIterator]()]
  await Promise.all([a.next(), b.next(), client.ready({ confirm: true })])
  expect(sidecar.sidecar.snapshot().watchers).toHaveLength(1)
})

it('a slow iterator keeps the newest objects, or fails if asked to', async () => {
  const sidecar = await startSidecar()
  const client = connectClient(sidecar)
  const slow = client.watchGameServer({ queue: 2 })[Symbol.asyncIterator]()
  const strict = client.watchGameServer({ queue: 2, overflow: 'fail' })[Symbol.asyncIterator]()
  await Promise.all([slow.next(), strict.next()])
  for (const value of ['1', '2', '3', '4']) {
    sidecar.control({ type: 'setLabel', key: 'n', value })
    await client.waitFor((gs) => gs.object_meta.labels?.['n'] === value)
  }
  const labels = [await slow.next(), await slow.next()].map(({ value }) => value?.object_meta.labels['n'])
  expect(labels).toEqual(['3', '4'])
  await expect(strict.next()).rejects.toMatchObject({ code: 'LIMIT' })
  expect(await strict.next()).toEqual({ done: true, value: undefined })
})

it('a signal, a break and close() end an iteration', async () => {
  const sidecar = await startSidecar()
  const client = connectClient(sidecar)
  const controller = new AbortController()
  let count = 0
  for await (const _ of client.watchGameServer({ signal: controller.signal })) {
    count++
    controller.abort()
  }
  for await (const _ of client.watchGameServer()) {
    count++
    break
  }
  for await (const _ of client.watchGameServer()) {
    count++
    client.close()
  }
  expect(count).toBe(3)
})

it('once and waitFor end by their signal and timeout', async () => {
  const sidecar = await startSidecar()
  const client = connectClient(sidecar)
  await expect(client.once('error', { timeout: 20 })).rejects.toMatchObject({ code: 'TIMEOUT' })
  const controller = new AbortController()
  const waiting = client.waitFor('Allocated', { signal: controller.signal })
  controller.abort(new Error('enough'))
  await expect(waiting).rejects.toMatchObject({
    code: 'ABORTED',
    cause: expect.objectContaining({ message: 'enough' }),
  })
  await expect(client.waitFor('Allocated', { signal: controller.signal })).rejects.toMatchObject({ code: 'ABORTED' })
})
