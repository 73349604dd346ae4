import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { ConnectionDropped } from '../../src/sidecar/index.js'
import type { Sidecar, WatchSink } from '../../src/sidecar/index.js'
import { converse, openSocket, serve, websocketHeaders } from './support.js'

/** Answers each call with what it was asked, and keeps the watchers for the test to feed. */
function scripted(): Partial<Sidecar> & { readonly sinks: WatchSink[]; readonly closed: number[] } {
  const sinks: WatchSink[] = []
  const closed: number[] = []
  return {
    sinks,
    closed,
    handle: async (request, raw) => {
      if (raw?.target?.startsWith('/health') === true) return new Response(null, { status: 400 })
      return new Response(JSON.stringify([raw?.method, raw?.target, await request.text()]))
    },
    watch: (sink) => {
      const index = sinks.push(sink) - 1
      return { close: () => void closed.push(index) }
    },
  }
}

const message = (json: string): Parameters<WatchSink['onMessage']>[0] => ({ json, gameServer: {} as never })

describe('a call over WebSocket', () => {
  test.each([
    ['/gameserver', 'GET', '/gameserver'],
    ['/ready?method=POST', 'POST', '/ready?method=POST'],
    ['/ready?a=b&method=%50OST&method=GET', 'POST', '/ready?a=b&method=%50OST&method=GET'],
    ['/gameserver?method=%zz', 'GET', '/gameserver?method=%zz'],
    ['/gameserver?method=a%20b', 'a b', '/gameserver?method=a%20b'],
    ['/watch/gameserver?method=POST', 'POST', '/watch/gameserver?method=POST'],
    ['//evil/gameserver', 'GET', '/gameserver'],
  ])('%s is %s %s without a body, answered by one text frame and an abrupt end', async (path, method, target) => {
    const { port } = await serve(scripted())
    const { frames, ended } = converse(`ws://localhost:${port}${path}`)
    expect(await ended).toBe(1006)
    expect(frames).toEqual([JSON.stringify([method, target, ''])])
  })

  test('to a path with a malformed escape is refused before the handshake, in plain text', async () => {
    const { port } = await serve(scripted())
    const { frames, ended } = converse(`ws://localhost:${port}/%zz`)
    expect(await ended).toBe(400)
    expect(frames).toEqual([])
  })

  test('to no path at all is a bad request in a frame', async () => {
    const { port } = await serve(scripted())
    const { frames, ended } = converse(`ws://localhost:${port}//gameserver`)
    expect(await ended).toBe(1006)
    expect(JSON.parse(frames[0]!)).toEqual({ code: 3, message: 'Bad Request', details: [] })
  })

  test('without an answer ends without a frame', async () => {
    const { port } = await serve(scripted())
    const { frames, ended } = converse(`ws://localhost:${port}/health?method=POST`)
    expect(await ended).toBe(1006)
    expect(frames).toEqual([])
  })

  test('that the sidecar drops ends without a frame and is no fault', async () => {
    const { port, faults } = await serve({ handle: () => Promise.reject(new ConnectionDropped('dropped')) })
    const { frames, ended } = converse(`ws://localhost:${port}/gameserver`)
    expect(await ended).toBe(1006)
    expect(frames).toEqual([])
    expect(faults).toEqual([])
  })
})

describe('a handshake', () => {
  test('echoes no subprotocol and takes no extension', async () => {
    const { port } = await serve(scripted())
    const socket = await openSocket(port)
    const offers = ['Sec-WebSocket-Protocol: a, b', 'Sec-WebSocket-Extensions: permessage-deflate']
    const headers = ['Host: localhost', ...websocketHeaders, ...offers]
    socket.write(['GET /watch/gameserver HTTP/1.1', ...headers, '', ''].join('\r\n'))
    const head = String((await once(socket, 'data'))[0]).toLowerCase()
    expect(head).toContain('101 switching protocols')
    expect(head).not.toContain('sec-websocket-protocol')
    expect(head).not.toContain('sec-websocket-extensions')
  })
})

describe('a watch over WebSocket', () => {
  test.each(['/watch/gameserver', '/watch/gameserver?a=b', '/watch/gameserve%72'])(
    'at %s: each object is a frame',
    async (path) => {
      const sidecar = scripted()
      const { port } = await serve(sidecar)
      const { frame, frames } = converse(`ws://localhost:${port}${path}`)
      await watching(sidecar)
      void sidecar.sinks[0]!.onMessage(message('{"result":1}'))
      void sidecar.sinks[0]!.onMessage(message('{"result":2}'))
      await frame(1)
      expect(frames).toEqual(['{"result":1}', '{"result":2}'])
    },
  )

  test('ends abruptly when the sidecar ends it', async () => {
    const sidecar = scripted()
    const { port } = await serve(sidecar)
    const { ended } = converse(`ws://localhost:${port}/watch/gameserver`)
    await watching(sidecar)
    sidecar.sinks[0]!.onEnd!('dropped')
    expect(await ended).toBe(1006)
  })

  test('that the sidecar refuses is its error in a frame', async () => {
    const sidecar = scripted()
    const { port } = await serve(sidecar)
    const { frames, ended } = converse(`ws://localhost:${port}/watch/gameserver`)
    await watching(sidecar)
    sidecar.sinks[0]!.onError!({ status: 500, body: '{"code":2}' })
    expect(await ended).toBe(1006)
    expect(frames).toEqual(['{"code":2}'])
  })

  test('is closed in the sidecar when the client closes it, and the close is acknowledged', async () => {
    const sidecar = scripted()
    const { port } = await serve(sidecar)
    const { socket, opened, ended } = converse(`ws://localhost:${port}/watch/gameserver`)
    await watching(sidecar)
    await opened
    socket.close(3000)
    expect(await ended).toBe(3000)
    await until(() => sidecar.closed.length === 1)
  })

  test('passes over what the client says, answers its pings and goes on', async () => {
    const sidecar = scripted()
    const { port } = await serve(sidecar)
    const { socket, opened, frame } = converse(`ws://localhost:${port}/watch/gameserver`)
    await watching(sidecar)
    await opened
    socket.send('{"anything":1}')
    socket.send(Buffer.from([1, 2, 3]))
    socket.ping('beat')
    expect(String((await once(socket, 'pong'))[0])).toBe('beat')
    void sidecar.sinks[0]!.onMessage(message('{"result":1}'))
    expect(await frame(0)).toBe('{"result":1}')
  })

  test('hands over nothing more while a frame has not left', async () => {
    const sidecar = scripted()
    const { port } = await serve(sidecar)
    const { socket, opened } = converse(`ws://localhost:${port}/watch/gameserver`)
    await watching(sidecar)
    await opened
    socket.pause()
    const line = 'x'.repeat(1024 * 1024)
    let pending = false
    // The system takes some for a reader that doesn't read, but not for ever.
    for (let i = 0; i < 64 && !pending; i += 1) {
      const left = Promise.resolve(sidecar.sinks[0]!.onMessage(message(line))).then(() => 'left')
      pending = (await Promise.race([left, aFewTurns()])) !== 'left'
    }
    expect(pending).toBe(true)
    socket.resume()
  })

  test('a line at the limit kills the socket with nothing sent; one byte less passes', async () => {
    const sidecar = scripted()
    const { port } = await serve(sidecar, { lineLimit: 65_536 })
    const passing = converse(`ws://localhost:${port}/watch/gameserver`)
    await watching(sidecar)
    void sidecar.sinks[0]!.onMessage(message('ü'.repeat(32_767) + 'x'))
    expect(await passing.frame(0)).toHaveLength(32_768)
    void sidecar.sinks[0]!.onMessage(message('ü'.repeat(32_768)))
    expect(await passing.ended).toBe(1006)
    expect(passing.frames).toHaveLength(1)
  })

  test('the limit holds for the answer of a call too', async () => {
    const long = 'x'.repeat(100)
    const { port } = await serve({ handle: async () => new Response(long) }, { lineLimit: 100 })
    const { frames, ended } = converse(`ws://localhost:${port}/gameserver`)
    expect(await ended).toBe(1006)
    expect(frames).toEqual([])
  })
})

const aFewTurns = async (): Promise<void> => {
  for (let i = 0; i < 200; i += 1) await new Promise(setImmediate)
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate)
}

const watching = (sidecar: { readonly sinks: readonly WatchSink[] }): Promise<void> =>
  until(() => sidecar.sinks.length > 0)
