/** The WebSocket class as its user sees it: the shape of the W3C, sending, closing, and how it ends. */
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { type ByteStream, createWebSocketClass, type FrameWebSocket, type SocketEvent } from '../../src/frames/index.js'
import { nodeConnect } from '../../src/frames/node-connect.js'
import { close, frame, join, latin, text, utf8 } from '../support/frames.js'
import { allEvents, fake, keyIn, next, opened, serve, switching } from './sockets.js'
import { collectUncaught } from '../support/uncaught.js'
import { turns } from '../support/until.js'

const WebSocket = createWebSocketClass(nodeConnect)

test('with the ws server, text and bytes of every length form go both ways, with the subprotocol agreed on', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  server.on('connection', (socket) => {
    socket.on('message', (data, binary) => socket.send(data, { binary }))
  })
  await once(server, 'listening')
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/path?query`
  const socket = new WebSocket(url, ['chat', 'other'])
  await next(socket, 'open')
  expect(socket).toMatchObject({ readyState: 1, protocol: 'chat', extensions: '', url })
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
  socket.close(3005, 'grüße')
  expect(socket.readyState).toBe(2)
  expect(await next(socket, 'close')).toMatchObject({ code: 3005, reason: 'grüße', wasClean: true })
  expect(socket.readyState).toBe(3)
})

test('constants are on the class and on each socket; without extensions, and nothing is buffered', () => {
  const states = { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 }
  expect({ ...WebSocket }).toEqual(states)
  const rest = { readyState: 0, protocol: '', extensions: '', bufferedAmount: 0, binaryType: 'arraybuffer' }
  expect(fake().connect()).toMatchObject({ ...states, ...rest })
})

test('handlers and listeners are called in order, with the socket as `this`', async () => {
  const { socket, listeners } = await opened()
  const seen: unknown[] = []
  const other = ({ data }: SocketEvent): unknown => seen.push(data)
  const note = function (this: FrameWebSocket) {
    seen.push(this)
  }
  socket.onmessage = note
  socket.addEventListener('message', other)
  socket.addEventListener('message', note)
  socket.addEventListener('message', note)
  socket.addEventListener('message', null)
  listeners.data!(text('x'))
  expect(seen).toEqual([socket, 'x', socket])
  socket.removeEventListener('message', other)
  socket.removeEventListener('message', null)
  listeners.data!(text('y'))
  expect(seen.slice(3)).toEqual([socket, socket])
})

test('a listener for one event only is called once, even if it causes the next', async () => {
  const { socket, listeners } = await opened()
  const seen: unknown[] = []
  const listener = ({ data }: SocketEvent): void => {
    seen.push(data)
    if (seen.length < 3) listeners.data!(text('again'))
  }
  socket.addEventListener('message', listener, { once: true })
  listeners.data!(text('one'))
  listeners.data!(text('two'))
  expect(seen).toEqual(['one'])
})

test("a listener's fault is an unhandled rejection; other listeners and the stream go on", async () => {
  const { socket, listeners } = await opened()
  const heard: unknown[] = []
  const fault = new Error('of the listener')
  socket.onmessage = ({ data }) => {
    if (data === 'one') throw fault
  }
  socket.addEventListener('message', ({ data }) => heard.push(data))
  const uncaught = collectUncaught()
  listeners.data!(join(text('one'), text('two')))
  await turns()
  expect(uncaught).toEqual([fault])
  expect(heard).toEqual(['one', 'two'])
})

test.each<[string, unknown, number, string]>([
  ['a number', 5, 1, '5'],
  ['nothing at all', undefined, 1, 'undefined'],
  ['an object', { a: 1 }, 1, '[object Object]'],
  ['a view into a larger buffer', new Uint16Array(utf8('abcdef').buffer, 2, 1), 2, 'cd'],
  ['a buffer', utf8('ab').buffer, 2, 'ab'],
])('send() sends %s as a page does', async (_name, data, opcode, payload) => {
  const { socket, sent } = await opened()
  socket.send(data as string)
  expect(sent()).toEqual([{ opcode, payload: utf8(payload) }])
})

test('send() refuses a Blob, and everything while connecting', async () => {
  const { socket, sent } = await opened()
  expect(() => socket.send(new Blob(['x']) as never)).toThrow(TypeError)
  expect(() => socket.send(Symbol('x') as never)).toThrow(TypeError)
  expect(sent()).toEqual([])
  expect(() => fake().connect().send('x')).toThrow(expect.objectContaining({ name: 'InvalidStateError' }) as Error)
})

const NO_CLOSE_FRAME = { message: 'The connection ended without a close frame' }

describe('an end', () => {
  test.each<[string, (socket: Socket, key: string) => unknown, object[]]>([
    [
      'without a close frame is an error and a 1006',
      (socket, key) => socket.end(join(latin(switching(key)), text('half').subarray(0, 3))),
      [{ type: 'open' }, { error: NO_CLOSE_FRAME }, { code: 1006, wasClean: false }],
    ],
    [
      'by reset is an error and a 1006',
      (socket, key) => {
        socket.write(switching(key))
        socket.on('data', () => socket.resetAndDestroy())
      },
      [{ type: 'open' }, { error: { code: 'ECONNRESET' } }, { code: 1006, wasClean: false }],
    ],
    ['before the handshake is an error and a 1006', (socket) => socket.end(), [{ type: 'error' }, { code: 1006 }]],
    [
      'with a close frame without code is a clean 1005',
      (socket, key) => socket.write(join(latin(switching(key)), frame(8))),
      [{ type: 'open' }, { type: 'close', code: 1005, reason: '', wasClean: true }],
    ],
  ])('%s', async (_name, act, expected) => {
    const server = await serve((key, socket) => act(socket, key))
    const socket = new WebSocket(server.url)
    socket.onopen = () => socket.send('now')
    expect(await allEvents(socket)).toMatchObject(expected)
  })

  test.each<[string, () => ByteStream | Promise<ByteStream>]>([
    ['nobody listens', async () => nodeConnect({ host: '127.0.0.1', port: 1, secure: false })],
    [
      'connect throws',
      () => {
        throw new Error('no sockets here')
      },
    ],
    ['connect gives nothing', () => undefined as unknown as ByteStream],
    ['writing rejects', () => fake({ write: () => Promise.reject(new Error('broken pipe')) }).stream],
  ])('when %s is an error and a 1006', async (_name, connect) => {
    const events = await allEvents(new (createWebSocketClass(connect))('ws://host'))
    expect(events).toMatchObject([{ error: expect.any(Error) }, { type: 'close', code: 1006 }])
  })
})

test('an unanswered close() ends with 1006 at the timeout, and leaves no timer', async () => {
  const { socket, timers, fire, closes } = await opened()
  expect(timers.size).toBe(0)
  socket.close(1000)
  expect(timers.size).toBe(1)
  const events = allEvents(socket)
  fire()
  expect(await events).toMatchObject([{ type: 'error' }, { type: 'close', code: 1006, wasClean: false }])
  expect(timers.size).toBe(0)
  expect(closes()).toBe(1)
})

test('a second close() sends nothing, and no message follows', async () => {
  const { socket, sent, listeners } = await opened()
  const events = allEvents(socket)
  socket.close(4000, 'done')
  socket.close(4001)
  socket.send('late')
  listeners.data!(join(text('late'), frame(9), close(4000, 'done')))
  expect(await events).toMatchObject([{ type: 'close', code: 4000, wasClean: true }])
  socket.close()
  socket.send('later')
  expect(sent()).toEqual([{ opcode: 8, payload: latin('\x0f\xa0done') }])
})

test.each([1001, 999, 1005, 2999, 5000, NaN])('close() refuses the code %d', (code) => {
  expect(() => fake().connect().close(code)).toThrow(expect.objectContaining({ name: 'InvalidAccessError' }) as Error)
})

test('close() takes a reason of at most 123 bytes, converted to text', async () => {
  expect(() => fake().connect().close(1000, 'é'.repeat(62))).toThrow(SyntaxError)
  const { socket, sent } = await opened()
  socket.close(1000, null as never)
  expect(sent()).toEqual([{ opcode: 8, payload: latin('\x03\xe8null') }])
  fake().connect().close(1000, 'é'.repeat(61))
})

/** A socket in its handshake, and the types of its events so far. */
const connecting = async () => {
  const host = fake()
  const socket = host.connect()
  const types: string[] = []
  for (const type of ['open', 'message', 'error', 'close']) {
    socket.addEventListener(type, (event: SocketEvent) => types.push(event.type))
  }
  await turns()
  const after = join(text('late'), frame(9), close(1000))
  const late = (): void => host.listeners.data!(join(latin(switching(keyIn(host.request()))), after))
  return { ...host, socket, types, after, late }
}

test('a ping is answered with a pong of its payload', async () => {
  const { sent, listeners } = await opened()
  listeners.data!(frame(9, utf8('are you there')))
  expect(sent()).toEqual([{ opcode: 10, payload: utf8('are you there') }])
})

test('a forbidden frame is answered with a close frame, and is an error and a 1006', async () => {
  const { socket, sent, listeners, closes } = await opened()
  const events = allEvents(socket)
  listeners.data!(frame(3))
  expect(await events).toMatchObject([{ error: { code: 1002 } }, { code: 1006, wasClean: false }])
  expect([sent(), closes()]).toEqual([[{ opcode: 8, payload: latin('\x03\xea') }], 1])
})

describe('CLOSED is final: what the server sends afterwards does nothing', () => {
  test.each(['time for opening', 'close(), at once', 'close(), a moment later'])(
    'a 101 and a message after the %s',
    async (when) => {
      const { fire, types, late, socket, written, closes } = await connecting()
      if (when.startsWith('time')) fire()
      else socket.close()
      if (!when.endsWith('once')) await turns()
      late()
      await turns(2)
      expect(types).toEqual(['error', 'close'])
      expect(socket.readyState).toBe(3)
      expect(written).toHaveLength(1)
      expect(closes()).toBe(1)
    },
  )

  test('the rest of a piece whose first message made the game close the socket', async () => {
    const { accept, types, listeners, socket, fire, written, after } = await connecting()
    accept()
    socket.onmessage = () => {
      socket.close()
      fire()
    }
    listeners.data!(join(text('one'), after))
    await turns()
    expect(types.filter((type) => type === 'message')).toHaveLength(1)
    expect(written).toHaveLength(2)
  })

  test('a stream that opens after the time for opening is closed', async () => {
    const { stream, closes, written } = fake()
    let open!: (stream: ByteStream) => void
    let expire!: () => void
    const socket = new (createWebSocketClass(() => new Promise<ByteStream>((resolve) => (open = resolve)), {
      setTimer: (_ms, call) => {
        expire = call
        return () => undefined
      },
    }))('ws://host')
    const closed = next(socket, 'close')
    await turns()
    expire()
    expect(await closed).toMatchObject({ code: 1006 })
    open(stream)
    await turns()
    expect(closes()).toBe(1)
    expect(written).toEqual([])
  })
})
