import { build, stop } from 'esbuild'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { createMock } from '../../src/platform/mock.js'
import { operations, type OperationName } from '../../src/protocol/operations.js'
import { play } from './support.js'

const gameServer = { spec: { counters: { rooms: { capacity: 10 } }, lists: { players: { capacity: 10 } } } }

describe('calls', () => {
  test('mock.calls holds every operation with its name, fields and status', async () => {
    const { mock, client } = play({ gameServer })
    await client.ready()
    await client.health()
    await client.allocate()
    await client.reserve(5)
    await client.setLabel('map', 'arena')
    await client.setAnnotation('note', 'Grüße 🎮')
    await client.getCounter('rooms')
    await client.updateCounter('rooms', { countDiff: 2 })
    await client.getList('players')
    await client.addListValue('players', 'ann')
    await client.removeListValue('players', 'ann')
    await client.updateList('players', { capacity: 5 })
    await client.getCounter('nope').catch(() => undefined)
    await client.shutdown()
    client.on('gameserver', () => undefined)
    await mock.advance(1_000)
    for (const operation of Object.keys(operations)) mock.expect(operation as OperationName)
    expect(mock.expect('setAnnotation', 1)[0]).toEqual({
      operation: 'setAnnotation',
      at: 0,
      body: { key: 'note', value: 'Grüße 🎮' },
      status: 200,
    })
    expect(mock.expect('updateCounter', 1)[0]).toMatchObject({ name: 'rooms', body: { countDiff: '2' }, status: 200 })
    expect(mock.expect('getCounter', 2)[1]).toMatchObject({ name: 'nope', status: 500 })
    const last = mock.calls.slice(-3).map(({ operation }) => operation)
    expect(last).toEqual(['shutdown', 'watchGameServer', 'getGameServer'])
  })

  test('a failed expect() names the calls that came instead', async () => {
    const { mock, client } = play({ gameServer })
    expect(() => mock.expect('ready')).toThrow('ready was expected at least once, and never came. No call came at all.')
    await client.connect()
    await client.health()
    await client.health()
    await client.setLabel('map', 'arena')
    await client.getCounter('nope').catch(() => undefined)
    expect(() => mock.expect('updateCounter', 1)).toThrow(
      'updateCounter was expected once, and never came. ' +
        'What came: getGameServer ×2, health ×2, setLabel {"key":"map","value":"arena"}, getCounter nope (500).',
    )
    const misspelt = 'there is no operation "helth"; did you mean "health"?'
    expect(() => mock.expect('helth' as 'health', 0)).toThrow(misspelt)
    expect(() => mock.fail('helth' as 'health')).toThrow(misspelt)
    expect(() => mock.expect('health', 3)).toThrow('health was expected 3 times, and came twice.')
    expect(() => mock.expect('health', 0)).toThrow('health was expected never, and came twice.')
  })
})

describe('a request of no operation', () => {
  const send = (url: string, method = 'GET') =>
    [url, { method, headers: {}, body: undefined, redirect: 'manual', cache: 'no-store' }] as const

  test('a request of no operation rejects, and close() throws it again', async () => {
    const mock = createMock()
    const { fetch, baseUrl } = mock.options
    const message = 'GET /gameservr is no operation of the sidecar; did you mean "GET /gameserver"?'
    await expect(fetch(...send(`${baseUrl}/gameservr`))).rejects.toThrow(message)
    expect(() => mock.close()).toThrow(`A request was not understood:\n${message}`)
    // Once is enough.
    mock.close()
  })

  test('a request to another address and a WebSocket on another path are requests of no operation', async () => {
    const { mock } = play()
    const { fetch, WebSocket } = mock.options
    await expect(fetch(...send('http://127.0.0.1:9358/gameserver'))).rejects.toThrow(
      'the mock is at http://sidecar.mock',
    )
    expect(() => new WebSocket('ws://sidecar.mock/gameserver')).toThrow('only /watch/gameserver is one')
    expect(() => mock.close()).toThrow(/^Requests were not understood:\n.*\n.*$/)
  })

  test('a request of no operation fails a test that uses `await using`', async () => {
    const leave = async (): Promise<void> => {
      await using mock = createMock()
      await mock.options.fetch(...send(`${mock.options.baseUrl}/nope`)).catch(() => undefined)
    }
    await expect(leave()).rejects.toThrow('GET /nope is no operation of the sidecar')
  })

  test('with unknownPaths: answer, a request of no operation gets 404 as from the sidecar', async () => {
    const { mock } = play({ unknownPaths: 'answer' })
    const { fetch, baseUrl } = mock.options
    const response = await fetch(...send(`${baseUrl}/nope`))
    const answer = { code: 5, message: 'Not Found', details: [] }
    expect([response.status, response.ok, await response.json()]).toEqual([404, false, answer])
  })
})

test('gameServer and platform decide what the client sees', async () => {
  const { mock, client } = play({ platform: 'acme', gameServer: { metadata: { name: 'arena-1' } } })
  await client.setLabel('map', 'arena')
  await client.allocate()
  await mock.advance(500)
  expect(mock.gameServer.object_meta).toMatchObject({
    ...{ name: 'arena-1', labels: { 'acme.dev/sdk-map': 'arena' } },
    annotations: { 'acme.dev/last-allocated': expect.any(String) as string },
  })
})

test('the mock loads where there is nothing but the language, as in jsdom, which lacks TextEncoder', async () => {
  const entryPoints = ['src/platform/mock.ts']
  const { outputFiles } = await build({ entryPoints, bundle: true, write: false, format: 'iife', globalName: 'mock' })
  await stop()
  expect(runInNewContext(`${outputFiles[0]!.text}; typeof mock.createMock`)).toBe('function')
})
