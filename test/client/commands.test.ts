import { describe, expect, it } from 'vitest'
import type { SidecarClient } from '../../src/index.js'
import { hurried } from '../faults/manual-clock.js'
import { calls, connectClient, startSidecar } from '../support/with-sidecar.js'

describe('what can not be right is refused before anything is sent', () => {
  const long = 'k'.repeat(60)
  const wrong: [string, (client: SidecarClient) => Promise<unknown>][] = [
    ['an empty label key', (c) => c.setLabel('', 'v')],
    ['a label key with a slash', (c) => c.setLabel('a/b', 'v')],
    ['a label key of 60 characters', (c) => c.setLabel(long, 'v')],
    ['a label key that ends with a dash', (c) => c.setLabel('a-', 'v')],
    ['a label key with a space', (c) => c.setLabel('a b', 'v')],
    ['a label key with an umlaut', (c) => c.setLabel('ä', 'v')],
    ['a label value with a space', (c) => c.setLabel('a', 'b c')],
    ['a label value of 64 characters', (c) => c.setLabel('a', 'v'.repeat(64))],
    ['a label value that is a number', (c) => c.setLabel('a', 1 as never)],
    ['an annotation key of 60 characters', (c) => c.setAnnotation(long, 'v')],
    ['an annotation over 256 KiB', (c) => c.setAnnotation('a', 'v'.repeat(262145))],
    ['seconds below zero', (c) => c.reserve(-1)],
    ['seconds that overflow', (c) => c.reserve(9223372037)],
    ['half a second', (c) => c.reserve(0.5)],
    ['seconds as a word', (c) => c.reserve('ten')],
    ['an empty counter name', (c) => c.getCounter('')],
    ['a counter name with a slash', (c) => c.getCounter('a/b')],
    ['a counter name of two dots', (c) => c.getCounter('..')],
    ['half a surrogate pair', (c) => c.getCounter('\ud800')],
    ['an update of nothing', (c) => c.updateCounter('rooms', {})],
    ['a fraction', (c) => c.updateCounter('rooms', { count: 1.5 })],
    ['a number that is not exact', (c) => c.updateCounter('rooms', { count: 2 ** 53 })],
    ['not a number', (c) => c.updateCounter('rooms', { countDiff: NaN })],
    ['a list update of nothing', (c) => c.updateList('players', {})],
    ['list values that are numbers', (c) => c.updateList('players', { values: [1 as never] })],
    ['a list value that is missing', (c) => c.addListValue('players', undefined as never)],
    ['a list name of null', (c) => c.removeListValue(null as never, 'v')],
  ]
  it.each(wrong)('%s', async (_name, call) => {
    const sidecar = await startSidecar()
    await expect(call(connectClient(sidecar))).rejects.toMatchObject({
      name: 'SidecarError',
      code: 'INVALID_ARGUMENT',
      hint: expect.stringMatching(/\w/),
    })
    expect(calls(sidecar)).toEqual([])
  })
})

describe('integers', () => {
  it('go out and come back exact, as number, bigint or decimal text', async () => {
    const sidecar = await startSidecar({ mode: 'local' })
    const client = connectClient(sidecar, { int64: 'bigint' })
    const max = 9223372036854775807n
    expect(await client.updateCounter('rooms', { capacity: max })).toMatchObject({ capacity: max })
    expect(await client.updateCounter('rooms', { count: '9007199254740993' })).toMatchObject({
      count: 9007199254740993n,
    })
    expect(await client.updateCounter('rooms', { countDiff: -3 })).toMatchObject({ count: 9007199254740990n })
  })

  it('that a number can not hold are an error that names the option', async () => {
    const sidecar = await startSidecar({ mode: 'local' })
    const client = connectClient(sidecar)
    await expect(client.updateCounter('rooms', { capacity: '9007199254740993' })).rejects.toMatchObject({
      code: 'UNSAFE_INTEGER',
      hint: expect.stringContaining('bigint'),
    })
  })
})

describe.each(['local', 'production'] as const)('against the %s mode', (mode) => {
  it('a difference of zero reads the counter, which production would refuse', async () => {
    const sidecar = await startSidecar({ mode })
    expect(await connectClient(sidecar).updateCounter('rooms', { countDiff: 0 })).toEqual({
      name: 'rooms',
      count: 1,
      capacity: 10,
    })
  })

  it('updateList of an unknown list sends no PATCH', async () => {
    const sidecar = await startSidecar({ mode, quirks: true })
    await expect(connectClient(sidecar).updateList('nope', { capacity: 1 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    expect(calls(sidecar)).not.toContain('updateList')
  })

  it('updateList loses no value added just before, and answers with what the list is', async () => {
    const sidecar = await startSidecar({ mode, quirks: true })
    const client = connectClient(sidecar)
    const added = client.addListValue('players', 'late')
    const updated = client.updateList('players', { capacity: 50 })
    expect((await added).values).toContain('late')
    expect(await updated).toEqual({ name: 'players', capacity: 50, values: ['test0', 'test1', 'test2', 'late'] })
  })

  it('calls for one list keep their order', async () => {
    const sidecar = await startSidecar({ mode })
    sidecar.control({ type: 'delayCalls', ms: 30, operations: ['addListValue'] })
    const client = connectClient(sidecar)
    await Promise.all([
      client.addListValue('players', 'a'),
      client.addListValue('players', 'b'),
      client.removeListValue('players', 'test1'),
      client.addListValue('players', 'c'),
    ])
    expect((await client.getList('players')).values).toEqual(['test0', 'test2', 'a', 'b', 'c'])
    expect(
      calls(sidecar)
        .filter((name) => name !== 'getGameServer')
        .slice(0, 4),
    ).toEqual(['addListValue', 'addListValue', 'removeListValue', 'addListValue'])
  })

  it.each([
    ['a value twice', 'ALREADY_EXISTS', (c: SidecarClient) => c.addListValue('players', 'test0')],
    ['a value that is not there', 'NOT_FOUND', (c: SidecarClient) => c.removeListValue('players', 'x')],
    ['an unknown counter', 'NOT_FOUND', (c: SidecarClient) => c.getCounter('x')],
    ['an unknown list', 'NOT_FOUND', (c: SidecarClient) => c.getList('x')],
    ['a count over capacity', 'OUT_OF_RANGE', (c: SidecarClient) => c.updateCounter('rooms', { count: 11 })],
    ['a negative capacity', 'OUT_OF_RANGE', (c: SidecarClient) => c.updateCounter('rooms', { capacity: -1 })],
    ['a list over 1000', 'OUT_OF_RANGE', (c: SidecarClient) => c.updateList('players', { capacity: 1001 })],
  ])('%s is %s', async (_name, code, call) => {
    const sidecar = await startSidecar({ mode })
    await expect(call(connectClient(sidecar))).rejects.toMatchObject({ code, status: 500 })
  })

  it('a gate that is off is FEATURE_DISABLED', async () => {
    const sidecar = await startSidecar({ mode, featureGates: { CountsAndLists: false } })
    await expect(connectClient(sidecar).getCounter('rooms')).rejects.toMatchObject({ code: 'FEATURE_DISABLED' })
  })

  it('a confirmed write resolves when the watch has shown it', async () => {
    const sidecar = await startSidecar({ mode })
    const client = connectClient(sidecar)
    await client.allocate({ confirm: true })
    expect(client.gameServer?.status.state).toBe('Allocated')
    await client.setLabel('__proto__', 'x', { confirm: true }).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' })
    })
    await client.setAnnotation('map', 'any text, ä', { confirm: true })
    expect(client.gameServer?.object_meta.annotations?.['agones.dev/sdk-map']).toBe('any text, ä')
  })
})

it('a metadata write that was accepted and never appears is reported', async () => {
  const sidecar = await startSidecar({ mode: 'production', quirks: true })
  // A key of 60 characters, sent by somebody else, blocks every label from now on.
  await fetch(`${sidecar.url}/metadata/label`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ key: 'k'.repeat(60), value: 'v' }),
  })
  // Ten seconds of the client take one.
  const client = connectClient(sidecar, hurried(10).options)
  await client.waitFor(() => true)
  const reported = client.once('error')
  await client.setLabel('mode', 'ctf')
  expect(await reported).toMatchObject({ code: 'UNKNOWN_OUTCOME', operation: 'setLabel' })
})

it('a write is accepted whatever the good answer holds', async () => {
  const sidecar = await startSidecar()
  const said = async (): Promise<Response> => new Response('{"status":"OK"}')
  const client = connectClient(sidecar, {
    fetch: (url, init) => (init.method === 'GET' ? fetch(url, init as RequestInit) : said()),
  })
  expect(await client.setLabel('mode', 'duel')).toBe('accepted')
  expect(await client.ready()).toBe('accepted')
})
