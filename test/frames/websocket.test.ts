import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { type ByteStream, createWebSocketClass, type FrameWebSocket, type SocketEvent } from '../../src/frames/index.js'
import { close, frame, latin, text, utf8 } from './bytes.js'
import { createRawServer, overTcp, type RawServer, switching, type Upgrade } from './servers.js'
import { unhandled } from './unhandled.js'

const WebSocket = createWebSocketClass(overTcp)

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

const serve = async (onUpgrade: (upgrade: Upgrade) => void, host?: string): Promise<RawServer> => {
  const server = await createRawServer(onUpgrade, host)
  cleanups.push(server.close)
  return server
}

const next = (socket: FrameWebSocket, type: 'open' | 'message' | 'error' | 'close'): Promise<SocketEvent> =>
  new Promise(resolve => { socket[`on${type}`] = resolve })

/** Everything until the end, in order. */
const allEvents = (socket: FrameWebSocket): Promise<SocketEvent[]> => new Promise(resolve => {
  const events: SocketEvent[] = []
  for (const type of ['open', 'message', 'error', 'close']) socket.addEventListener(type, event => events.push(event))
  socket.onclose = () => setImmediate(() => resolve(events))
})

/** A stream in memory, for what a real one seldom does. */
const fake = (overrides: Partial<ByteStream> = {}) => {
  const listeners: { data?: (bytes: Uint8Array) => void; close?: (error?: unknown) => void } = {}
  const written: string[] = []
  let closes = 0
  const stream: ByteStream = {
    write: bytes => { written.push(Buffer.from(bytes).toString('latin1')) },
    close: () => { closes++ },
    onData: listener => { listeners.data = listener },
    onClose: listener => { listeners.close = listener },
    ...overrides,
  }
  const accept = (): void => {
    const key = /Sec-WebSocket-Key: (.*)\r\n/.exec(written[0]!)![1]!
    listeners.data!(latin(switching(key)))
  }
  return { stream, listeners, written, accept, closes: () => closes }
}
const tick = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

describe('with the ws server', () => {
  test('text and bytes of every length form go both ways, with the subprotocol agreed on', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    cleanups.push(() => new Promise(resolve => {
      for (const client of server.clients) client.terminate()
      server.close(resolve)
    }))
    server.on('connection', socket => socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary })))
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const socket = new WebSocket(`ws://127.0.0.1:${port}/path?query`, ['chat', 'other'])
    await next(socket, 'open')
    expect(socket).toMatchObject({ readyState: 1, protocol: 'chat', extensions: '', url: `ws://127.0.0.1:${port}/path?query` })
    for (const length of [0, 1, 125, 126, 65535, 65536, 100_000]) {
      const sent = 'é'.repeat(length / 2) + 'x'.repeat(length % 2)
      socket.send(sent)
      expect((await next(socket, 'message')).data === sent).toBe(true)
      const bytes = utf8(sent)
      for (const data of [bytes, bytes.buffer as ArrayBuffer, new DataView(bytes.buffer)]) {
        socket.send(data)
        const echoed = (await next(socket, 'message')).data
        expect(echoed).toBeInstanceOf(ArrayBuffer)
        expect(Buffer.from(echoed as ArrayBuffer).equals(bytes)).toBe(true)
      }
    }
    socket.send('lone \ud800 surrogate')
    expect((await next(socket, 'message')).data).toBe('lone \ufffd surrogate')
    socket.close(3005, 'grüße')
    expect(socket.readyState).toBe(2)
    expect(await next(socket, 'close')).toMatchObject({ code: 3005, reason: 'grüße', wasClean: true })
    expect(socket.readyState).toBe(3)
  })

  test('an address in brackets is dialled without them', async () => {
    const hosts: string[] = []
    const socket = new (createWebSocketClass(target => {
      hosts.push(`${target.host} ${target.port} ${target.secure}`)
      throw new Error('enough')
    }))('wss://[::1]/x')
    await next(socket, 'close')
    expect(hosts).toEqual(['::1 443 true'])
  })
})

describe('the request', () => {
  test.each([
    ['ws://example.test', '/', 'example.test', 'example.test 80 false'],
    ['wss://example.test', '/', 'example.test', 'example.test 443 true'],
    ['ws://127.0.0.1:9358/watch/gameserver', '/watch/gameserver', '127.0.0.1:9358', '127.0.0.1 9358 false'],
    ['ws://[fe80::1]:1234?a=b', '/?a=b', '[fe80::1]:1234', 'fe80::1 1234 false'],
    ['WS://example.test/a/b?c=%20', '/a/b?c=%20', 'example.test', 'example.test 80 false'],
  ])('for %s asks for %s of %s', async (url, path, authority, target) => {
    const { stream, written, closes } = fake()
    let dialled = ''
    const socket = new (createWebSocketClass(({ host, port, secure }) => {
      dialled = `${host} ${port} ${secure}`
      return stream
    }))(url)
    await tick()
    expect(dialled).toBe(target)
    const [request] = written
    expect(request).toMatch(/^GET \S+ HTTP\/1\.1\r\n(\S+: .+\r\n)+\r\n$/)
    expect(request!.split('\r\n')).toEqual(expect.arrayContaining([
      `GET ${path} HTTP/1.1`, `Host: ${authority}`, 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13',
    ]))
    expect(request).toMatch(/\r\nSec-WebSocket-Key: [\w+/]{21}[AQgw]==\r\n/)
    expect(request).not.toMatch(/extensions|protocol/i)
    socket.close()
    await next(socket, 'close')
    expect(closes()).toBe(1)
  })

  test.each([
    'example.test', 'http://example.test', 'ws://', 'ws://a b', 'ws://user@host/', 'ws://host:port', 'ws://host/#part',
    'ws://host/a\r\nX: y', 'ws://host/é', 'ws://host!/',
  ])('can not be made of %j: SyntaxError', url => {
    expect(() => new WebSocket(url)).toThrow(SyntaxError)
  })

  test.each(['a b', '', 'a\r\nX: y', 'é'])('can not ask for the subprotocol %j: SyntaxError', protocol => {
    expect(() => new WebSocket('ws://host', ['fine', protocol, 'fine too'])).toThrow(SyntaxError)
  })
})

describe('a handshake is refused', () => {
  const right = (key: string): string => switching(key)
  test.each<[string, (key: string) => string]>([
    ['with another status', key => right(key).replace('101 Switching Protocols', '200 OK')],
    ['with a redirect', () => 'HTTP/1.1 302 Found\r\nLocation: ws://other\r\n\r\n'],
    ['of something else than HTTP', () => 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['without Upgrade', key => right(key).replace('Upgrade: websocket\r\n', '')],
    ['with another Upgrade', key => right(key).replace('Upgrade: websocket', 'Upgrade: h2c')],
    ['without Connection', key => right(key).replace('Connection: Upgrade\r\n', '')],
    ['with another Connection', key => right(key).replace('Connection: Upgrade', 'Connection: close')],
    ['without Accept', key => right(key).replace(/Sec-WebSocket-Accept: .*\r\n/, '')],
    ['with the Accept of another key', () => right('AAAAAAAAAAAAAAAAAAAAAA==')],
    ['with an extension, as none was offered', key => switching(key, 'Sec-WebSocket-Extensions: permessage-deflate\r\n')],
    ['with a subprotocol, as none was asked for', key => switching(key, 'Sec-WebSocket-Protocol: chat\r\n')],
    ['with a head that never ends', key => right(key).slice(0, -2) + 'X: ' + 'y'.repeat(70_000)],
  ])('%s', async (_name, answer) => {
    const server = await serve(({ key, socket }) => socket.write(answer(key)))
    const socket = new WebSocket(server.url)
    const events = await allEvents(socket)
    expect(events).toMatchObject([
      { type: 'error', error: { name: 'FrameError' } },
      { type: 'close', code: 1006, wasClean: false, reason: '' },
    ])
  })

  test('but case, spaces and lists in headers are fine, and frames may follow at once', async () => {
    const server = await serve(({ key, socket }) => socket.write(Buffer.concat([
      latin(switching(key).replace('Upgrade: websocket', 'upgrade:WebSocket ').replace('Connection: Upgrade', 'CONNECTION: keep-alive, upgrade')),
      text('at once'), close(1000, 'bye'),
    ])))
    const events = await allEvents(new WebSocket(server.url))
    expect(events).toMatchObject([
      { type: 'open' }, { type: 'message', data: 'at once' }, { type: 'close', code: 1000, reason: 'bye', wasClean: true },
    ])
  })
})

describe('an end', () => {
  const afterUpgrade = async (act: (socket: Socket) => void): Promise<SocketEvent[]> => {
    const server = await serve(({ key, socket }) => {
      socket.write(switching(key))
      act(socket)
    })
    return allEvents(new WebSocket(server.url))
  }

  test('without a close frame is a 1006', async () => {
    const events = await afterUpgrade(socket => socket.end(text('half').subarray(0, 3)))
    expect(events).toMatchObject([{ type: 'open' }, { type: 'close', code: 1006, wasClean: false }])
  })

  test('by reset is an error and a 1006', async () => {
    const server = await serve(({ key, socket }) => {
      socket.write(switching(key))
      socket.on('data', () => socket.resetAndDestroy())
    })
    const socket = new WebSocket(server.url)
    const events = allEvents(socket)
    await next(socket, 'open')
    socket.send('now')
    expect(await events).toMatchObject([{ type: 'open' }, { type: 'error', error: { code: 'ECONNRESET' } }, { type: 'close', code: 1006 }])
  })

  test('before the handshake is an error and a 1006', async () => {
    const server = await serve(({ socket }) => socket.end())
    expect(await allEvents(new WebSocket(server.url))).toMatchObject([{ type: 'error' }, { type: 'close', code: 1006 }])
  })

  test('with a close frame without code is a clean 1005', async () => {
    expect((await afterUpgrade(socket => socket.write(frame(8)))).at(-1)).toMatchObject({ code: 1005, reason: '', wasClean: true })
  })

  test.each([
    ['nobody listens', async () => overTcp({ host: '127.0.0.1', port: 1, secure: false })],
    ['connect throws', () => { throw new Error('no sockets here') }],
    ['connect gives nothing', () => undefined as unknown as ByteStream],
  ])('when %s is an error and a 1006', async (_name, connect) => {
    const events = await allEvents(new (createWebSocketClass(connect))('ws://host'))
    expect(events).toMatchObject([{ type: 'error', error: expect.any(Error) }, { type: 'close', code: 1006 }])
  })

  test.each([
    ['throws', () => { throw new Error('broken pipe') }],
    ['rejects', () => Promise.reject(new Error('broken pipe'))],
  ])('when writing %s is an error and a 1006', async (_name, write) => {
    const { stream } = fake({ write })
    const events = await allEvents(new (createWebSocketClass(() => stream))('ws://host'))
    expect(events).toMatchObject([{ type: 'error', error: { message: 'broken pipe' } }, { type: 'close', code: 1006 }])
  })
})

describe('close()', () => {
  const timers = () => {
    const pending = new Set<() => void>()
    const setTimer = (_ms: number, call: () => void) => {
      pending.add(call)
      return () => pending.delete(call)
    }
    return { setTimer: setTimer as (ms: number, call: () => void) => () => void, fire: () => [...pending].forEach(call => call()), pending }
  }

  test('that is not answered ends with a 1006 when its time is over, and leaves no timer', async () => {
    const { setTimer, fire, pending } = timers()
    const { stream, accept, closes } = fake()
    const socket = new (createWebSocketClass(() => stream, { setTimer }))('ws://host')
    await tick()
    accept()
    expect(pending.size).toBe(0)
    socket.close(1000)
    expect(pending.size).toBe(1)
    const events = allEvents(socket)
    fire()
    expect(await events).toMatchObject([{ type: 'error' }, { type: 'close', code: 1006, wasClean: false }])
    expect(pending.size).toBe(0)
    expect(closes()).toBe(1)
  })

  test('opening has its time too, and a stream that opens afterwards is closed', async () => {
    const { setTimer, fire } = timers()
    const { stream, closes, written } = fake()
    let open!: (stream: ByteStream) => void
    const socket = new (createWebSocketClass(() => new Promise<ByteStream>(resolve => { open = resolve }), { setTimer }))('ws://host')
    const closed = next(socket, 'close')
    fire()
    expect(await closed).toMatchObject({ code: 1006 })
    open(stream)
    await tick()
    expect(closes()).toBe(1)
    expect(written).toEqual([])
  })

  test('while connecting is an error and a 1006, later than the call', async () => {
    const { stream, closes } = fake()
    const socket = new (createWebSocketClass(() => stream))('ws://host')
    const events = allEvents(socket)
    socket.close()
    socket.close()
    expect(socket.readyState).toBe(2)
    expect(await events).toMatchObject([{ type: 'error' }, { type: 'close', code: 1006 }])
    await tick()
    expect(closes()).toBe(1)
  })

  test('twice sends one frame; nothing is sent or handed on afterwards', async () => {
    const { stream, accept, written, listeners } = fake()
    const socket = new (createWebSocketClass(() => stream, { random: () => 0 }))('ws://host')
    await tick()
    accept()
    const events = allEvents(socket)
    socket.close(4000, 'done')
    socket.close(4001)
    socket.send('late')
    listeners.data!(Buffer.concat([text('late'), frame(9), close(4000, 'done')]))
    expect(await events).toMatchObject([{ type: 'close', code: 4000, wasClean: true }])
    expect(written.slice(1)).toEqual(['\x88\x86\0\0\0\0\x0f\xa0done'])
    socket.close()
    socket.send('later')
    expect(written).toHaveLength(2)
  })

  test.each([[1001], [999], [1005], [2999], [5000], [NaN]])('does not take the code %d', code => {
    const socket = new (createWebSocketClass(() => fake().stream))('ws://host')
    expect(() => socket.close(code)).toThrow('InvalidAccessError')
  })

  test('does not take a reason of more than 123 bytes', () => {
    const socket = new (createWebSocketClass(() => fake().stream))('ws://host')
    expect(() => socket.close(1000, 'é'.repeat(62))).toThrow()
  })

  test('needs no timers of the host', async () => {
    const { stream, accept, listeners } = fake()
    const { setTimeout } = globalThis
    try {
      globalThis.setTimeout = undefined as never
      const socket = new (createWebSocketClass(() => stream))('ws://host')
      await tick()
      accept()
      const closed = next(socket, 'close')
      socket.close()
      listeners.data!(close(1000))
      expect(await closed).toMatchObject({ code: 1000, wasClean: true })
    } finally {
      globalThis.setTimeout = setTimeout
    }
  })
})

describe('the shape of the W3C', () => {
  test('constants are on the class and on each socket; there are no extensions and nothing is buffered', () => {
    const states = { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 }
    expect({ ...WebSocket }).toEqual(states)
    const { stream } = fake()
    expect(new (createWebSocketClass(() => stream))('ws://host')).toMatchObject({
      ...states, readyState: 0, protocol: '', extensions: '', bufferedAmount: 0, binaryType: 'arraybuffer',
    })
  })

  test('sending while connecting throws', () => {
    expect(() => new (createWebSocketClass(() => fake().stream))('ws://host').send('x')).toThrow('InvalidStateError')
  })

  test('a listener is called once however often it was added, and not after it was removed', async () => {
    const { stream, accept, listeners } = fake()
    const socket = new (createWebSocketClass(() => stream))('ws://host')
    await tick()
    const heard: string[] = []
    const listener = (event: SocketEvent): void => { heard.push(`${event.type} ${event.data}`) }
    socket.addEventListener('message', listener)
    socket.addEventListener('message', listener)
    socket.addEventListener('open', listener)
    accept()
    listeners.data!(text('one'))
    socket.removeEventListener('message', listener)
    socket.removeEventListener('message', listener)
    listeners.data!(text('two'))
    expect(heard).toEqual(['open undefined', 'message one'])
  })

  test("a listener's fault is an unhandled rejection; other listeners and the stream go on", async () => {
    const { stream, accept, listeners } = fake()
    const socket = new (createWebSocketClass(() => stream))('ws://host')
    await tick()
    accept()
    const heard: unknown[] = []
    const fault = new Error('of the listener')
    socket.onmessage = ({ data }) => { if (data === 'one') throw fault }
    socket.addEventListener('message', ({ data }) => heard.push(data))
    expect(await unhandled(() => listeners.data!(Buffer.concat([text('one'), text('two')])))).toBe(fault)
    expect(heard).toEqual(['one', 'two'])
  })
})
