import { once } from 'node:events'
import { connect, createServer, Server } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createLocalSidecar, type LocalSidecar } from '../../src/node.js'
import type { GameServer } from '../../src/protocol/game-server.js'
import { linesOf } from '../support/lines-of.js'
import { startSidecar } from '../support/with-sidecar.js'
import { converse, openSocket } from './support.js'

const get = async (local: LocalSidecar): Promise<GameServer> =>
  (await fetch(`${local.url}/gameserver`)).json() as Promise<GameServer>

const call = (local: LocalSidecar, path: string, body: unknown = {}, method = 'POST'): Promise<Response> =>
  fetch(`${local.url}${path}`, { method, body: JSON.stringify(body) })

/** The objects of an HTTP watch, one after the other. */
async function* lines(local: LocalSidecar): AsyncGenerator<GameServer> {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const response = await fetch(`${local.url}/watch/gameserver`, { signal: stop.signal })
  for await (const line of linesOf(response)) yield result(line)
}

const result = (frame: string): GameServer => (JSON.parse(frame) as { result: GameServer }).result

/** A watch by WebSocket, one by stream, and a connection that says nothing. */
async function connectAll(local: LocalSidecar) {
  const socket = converse(`${local.url}/watch/gameserver`)
  await socket.frame(0)
  const stream = lines(local)
  await stream.next()
  const silent = await openSocket(local.port)
  const silentEnd = new Promise((resolve) => silent.once('close', resolve))
  return { socket, stream, silentEnd }
}

describe('the life of a local sidecar', () => {
  test('close() frees the port, ends every connection and can be called again', async () => {
    const local = await startSidecar()
    const { socket, stream, silentEnd } = await connectAll(local)
    await Promise.all([local.close(), local.close()])
    await local.close()
    expect(await socket.ended).toBe(1006)
    await expect(stream.next()).rejects.toThrow()
    await silentEnd
    const again = await startSidecar({ port: local.port })
    expect(again.port).toBe(local.port)
  })

  test.each([
    [{ port: 65_536 }, 'port must be "usual" or an integer from 0 to 65535; got 65536'],
    [{ file: 'a', gameServer: {} }, 'file and gameServer exclude each other'],
    [{ gameServer: { spec: { helth: {} } } } as never, 'gameServer.spec has no field "helth"; did you mean "health"?'],
    [{ allowHosts: 'game.test' as never }, 'allowHosts must be a list; got "game.test"'],
    [{ allowedOrigin: [] } as never, 'has no field "allowedOrigin"; did you mean "allowOrigins"?'],
  ])('%j is refused in a sentence', async (options, message) => {
    await expect(createLocalSidecar(options)).rejects.toThrow(message)
    await expect(createLocalSidecar(options)).rejects.toBeInstanceOf(TypeError)
  })

  test('under each name of loopback, the control interface needs no token and prints no warning', async () => {
    const warnings: string[] = []
    for (const address of [undefined, 'LOCALHOST', '127.1', '0x7f.1']) {
      const local = await startSidecar({ address, onWarning: (text) => warnings.push(text) })
      expect([local.url, local.controlToken]).toEqual([`http://127.0.0.1:${local.port}`, undefined])
    }
    expect(warnings).toEqual([])
  })
})

describe('a watch', () => {
  test('a line over the limit kills the WebSocket on every reconnect; the stream goes on', async () => {
    const local = await startSidecar({ mode: 'local' })
    local.control({ type: 'padObject', bytes: 70_000 })
    for (let i = 0; i < 2; i += 1) {
      const { frames, ended } = converse(`${local.url}/watch/gameserver`)
      expect([await ended, frames]).toEqual([1006, []])
    }
    expect((await lines(local).next()).value.status.state).toBe('Ready')
  })

  test('over HTTP without a reader uses bounded memory, and sends the newest object once it is read again', async () => {
    const local = await startSidecar({ mode: 'local' })
    local.control({ type: 'padObject', bytes: 200_000 })
    const stalled = await openSocket(local.port)
    stalled.pause()
    stalled.write('GET /watch/gameserver HTTP/1.1\r\nHost: localhost\r\n\r\n')
    while (local.sidecar.snapshot().watchers.length === 0) await get(local)
    const dropped = (): number => local.sidecar.snapshot().watchers[0]!.dropped
    for (let turn = 1; dropped() === 0; turn += 1) {
      local.control({ type: 'setLabel', key: 'turn', value: String(turn) })
      await new Promise(setImmediate)
    }
    local.control({ type: 'setLabel', key: 'turn', value: 'last' })
    let text = ''
    stalled.resume()
    for await (const chunk of stalled) {
      text = (text + String(chunk)).slice(-400_000)
      if (text.includes('"turn":"last"')) break
    }
  })
})

async function expectNobodyListens({ port }: LocalSidecar): Promise<void> {
  const [error] = (await once(connect(port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException]
  expect(error.code).toBe('ECONNREFUSED')
}

describe('a restart', () => {
  test('drops every connection and is there again on the same port', async () => {
    const local = await startSidecar({ mode: 'local' })
    await call(local, '/allocate')
    const { socket, stream, silentEnd } = await connectAll(local)
    await local.restart()
    expect(await socket.ended).toBe(1006)
    await expect(stream.next()).rejects.toThrow()
    await silentEnd
    expect((await get(local)).status.state).toBe('Ready')
  })

  test('refuses connections for downMs, even if another restart is requested meanwhile', async () => {
    const local = await startSidecar()
    local.control({ type: 'setLabel', key: 'a', value: 'b' })
    const back = local.restart({ downMs: 200 })
    await expectNobodyListens(local)
    expect(local.control({ type: 'restart', downMs: 1_000_000, fresh: true })).toEqual({ ok: true })
    await Promise.all([back, local.restart()])
    expect((await get(local)).object_meta.labels).not.toHaveProperty('a')
  })

  test('whose port is taken meanwhile reports that, and can be repeated', async () => {
    const warnings: string[] = []
    const local = await startSidecar({ onWarning: (message) => warnings.push(message) })
    local.control({ type: 'restart', downMs: 100 })
    const other = createServer().listen(local.port, '127.0.0.1')
    await once(other, 'listening')
    await vi.waitFor(
      () => expect(warnings).toEqual([expect.stringMatching(/could not start again: .*EADDRINUSE/)]),
      20_000,
    )
    other.close()
    await once(other, 'close')
    await local.restart({ downMs: 1 })
    expect((await get(local)).status.state).toBe('Scheduled')
  })

  test('that is about to listen again when the sidecar is closed does not', async () => {
    const local = await startSidecar()
    const { listen } = Server.prototype
    let closed: Promise<void> | undefined
    const spy = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args: unknown[]) {
      const server = Reflect.apply(listen, this, args) as Server
      closed = local.close()
      return server
    })
    onTestFinished(() => spy.mockRestore())
    await local.restart({ downMs: 1 })
    await closed
    await expectNobodyListens(local)
  })

  test('does not start again a sidecar that was closed meanwhile', async () => {
    const local = await startSidecar()
    const back = local.restart({ downMs: 1_000_000 })
    await local.close()
    await back
    await expectNobodyListens(local)
  })
})

describe('with replace', () => {
  test('a fresh GameServer answers at the same address; it cuts the game’s connections, not the control interface’s', async () => {
    const local = await startSidecar({ replace: true })
    const { object_meta } = await get(local)
    const { socket, silentEnd } = await connectAll(local)
    const events = converse(`${local.url}/_/api/events`)
    await events.frame(0)

    await call(local, '/shutdown')
    expect(await socket.ended).toBe(1006)
    await silentEnd
    const shown = socket.frames
      .map(result)
      .map((seen) => [seen.status.state, seen.object_meta.deletion_timestamp !== '0'])
    expect(shown).toEqual([
      ['Scheduled', false],
      ['Shutdown', false],
      ['Shutdown', true],
    ])
    // A kept connection may be cut only now.
    const fresh = await vi.waitFor(() => get(local), 20_000)
    expect(fresh.status.state).toBe('Scheduled')
    expect(fresh.object_meta.uid).not.toBe(object_meta.uid)
    await vi.waitUntil(
      () => events.frames.some((frame) => frame.includes(`"name":"${fresh.object_meta.name}"`)),
      20_000,
    )
    expect(events.socket.readyState).toBe(events.socket.OPEN)
  })
})

test('the port is 9358 by default, so an address survives restarts, or a free one if 9358 is taken', async () => {
  const other = createServer()
  onTestFinished(() => void other.close())
  // Somebody has it then, be it a program beside the tests.
  await new Promise<void>((resolve) => other.once('error', () => resolve()).listen(9358, '127.0.0.1', resolve))
  const listen = vi.spyOn(Server.prototype, 'listen')
  onTestFinished(() => listen.mockRestore())
  const local = await startSidecar({ port: 'usual' })
  expect(listen.mock.calls.map(([options]) => (options as unknown as { port: number }).port)).toEqual([9358, 0])
  expect((await get(local)).status.state).toBe('Scheduled')
})
