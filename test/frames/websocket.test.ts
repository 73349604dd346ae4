import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { type ByteStream, createWebSocketClass, type SocketEvent } from '../../src/frames/index.js'
import { close, frame, latin, text, utf8 } from './bytes.js'
import { nodeConnect } from '../../src/node/node-connect.js'
import { switching } from './servers.js'
import { allEvents, atEnd, fake, next, serve, tick } from './sockets.js'
import { unhandled } from './unhandled.js'

const WebSocket = createWebSocketClass(nodeConnect)

describe('with the ws server', () => {
  test('text and bytes of every length form go both ways, with the subprotocol agreed on', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    atEnd(
      () =>
        new Promise((resolve) => {
          for (const client of server.clients) client.terminate()
          server.close(resolve)
        }),
    )
    server.on('connection', (socket) => {
      socket.on('message', (data, binary) => socket.send(data, { binary }))
    })
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const socket = new WebSocket(`ws://127.0.0.1:${port}/path?query`, ['chat', 'other'])
    await next(socket, 'open')
    expect(socket).toMatchObject({
      readyState: 1,
      protocol: 'chat',
      extensions: '',
      url: `ws://127.0.0.1:${port}/path?query`,
    })
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
    const socket = new (createWebSocketClass((target) => {
      hosts.push(`${target.host} ${target.port} ${target.secure}`)
      throw new Error('enough')
    }))('wss://[::1]/x')
    await next(socket, 'close')
    expect(hosts).toEqual(['::1 443 true'])
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

  test('without a close frame is an error and a 1006', async () => {
    const events = await afterUpgrade((socket) => socket.end(text('half').subarray(0, 3)))
    expect(events).toMatchObject([
      { type: 'open' },
      { type: 'error', error: { message: 'The connection ended without a close frame' } },
      { type: 'close', code: 1006, wasClean: false },
    ])
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
    expect(await events).toMatchObject([
      { type: 'open' },
      { type: 'error', error: { code: 'ECONNRESET' } },
      { type: 'close', code: 1006 },
    ])
  })

  test('before the handshake is an error and a 1006', async () => {
    const server = await serve(({ socket }) => socket.end())
    expect(await allEvents(new WebSocket(server.url))).toMatchObject([{ type: 'error' }, { type: 'close', code: 1006 }])
  })

  test('with a close frame without code is a clean 1005', async () => {
    const events = await afterUpgrade((socket) => socket.write(frame(8)))
    expect(events.at(-1)).toMatchObject({ code: 1005, reason: '', wasClean: true })
  })

  test.each([
    ['nobody listens', async () => nodeConnect({ host: '127.0.0.1', port: 1, secure: false })],
    [
      'connect throws',
      () => {
        throw new Error('no sockets here')
      },
    ],
    ['connect gives nothing', () => undefined as unknown as ByteStream],
  ])('when %s is an error and a 1006', async (_name, connect) => {
    const events = await allEvents(new (createWebSocketClass(connect))('ws://host'))
    expect(events).toMatchObject([
      { type: 'error', error: expect.any(Error) },
      { type: 'close', code: 1006 },
    ])
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('broken pipe')
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken pipe'))],
  ])('when writing %s is an error and a 1006', async (_name, write) => {
    const { stream } = fake({ write })
    const events = await allEvents(new (createWebSocketClass(() => stream))('ws://host'))
    expect(events).toMatchObject([
      { type: 'error', error: { message: 'broken pipe' } },
      { type: 'close', code: 1006 },
    ])
  })
})

describe('close()', () => {
  const timers = () => {
    const pending = new Set<() => void>()
    const setTimer = (_ms: number, call: () => void) => {
      pending.add(call)
      return () => pending.delete(call)
    }
    return {
      setTimer: setTimer as (ms: number, call: () => void) => () => void,
      fire: () => [...pending].forEach((call) => call()),
      pending,
    }
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

  test('counts its time from the last write that was sent, and not from what arrives', async () => {
    const { setTimer, fire, pending } = timers()
    const settle: (() => void)[] = []
    const { stream, written, listeners } = fake()
    const socket = new (createWebSocketClass(
      () => ({
        ...stream,
        write: (bytes) => {
          void stream.write(bytes)
          return new Promise<void>((resolve) => settle.push(resolve))
        },
      }),
      { setTimer },
    ))('ws://host')
    await tick()
    listeners.data!(latin(switching(/Sec-WebSocket-Key: (.*)\r\n/.exec(written[0]!)![1]!)))
    socket.send(new Uint8Array(1_000_000))
    socket.close()
    const [atClose] = pending
    for (let last = atClose; settle.length > 0;) {
      settle.shift()!()
      await tick()
      expect(pending.size).toBe(1)
      expect(pending.has(last!)).toBe(false)
      last = [...pending][0]
    }
    const [atLast] = pending
    listeners.data!(text('late'))
    expect([...pending]).toEqual([atLast])
    fire()
    expect(socket.readyState).toBe(3)
  })

  test('loses nothing of one large message to a reader that is slower than the timeout', async () => {
    const size = 40 << 20
    const sent = size + 14 + 8
    let received = 0
    const server = await serve(({ key, socket, rest }) => {
      socket.write(switching(key))
      socket.pause()
      received = rest.length
      const readSome = (): void => {
        const bytes = socket.read() as Buffer | null
        received += bytes?.length ?? 0
        if (received >= sent) socket.end(close(1000))
        // What the kernel holds at the end is no progress that a sender sees.
        else if (received > size / 2) setImmediate(readSome)
        else setTimeout(readSome, 4)
      }
      readSome()
    })
    const socket = new (createWebSocketClass(nodeConnect, { timeout: 1000 }))(server.url)
    await next(socket, 'open')
    socket.send(new Uint8Array(size))
    socket.close()
    expect(await next(socket, 'close')).toMatchObject({ code: 1000, wasClean: true })
    expect(received).toBe(sent)
  })

  test('opening has its time too, and a stream that opens afterwards is closed', async () => {
    const { setTimer, fire } = timers()
    const { stream, closes, written } = fake()
    let open!: (stream: ByteStream) => void
    const opening = new Promise<ByteStream>((resolve) => {
      open = resolve
    })
    const socket = new (createWebSocketClass(() => opening, { setTimer }))('ws://host')
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

  test.each([[1001], [999], [1005], [2999], [5000], [NaN]])('does not take the code %d', (code) => {
    const socket = new (createWebSocketClass(() => fake().stream, { timeout: 0 }))('ws://host')
    expect(() => socket.close(code)).toThrow(expect.objectContaining({ name: 'InvalidAccessError' }) as Error)
  })

  test('does not take a reason of more than 123 bytes', () => {
    const socket = new (createWebSocketClass(() => fake().stream, { timeout: 0 }))('ws://host')
    expect(() => socket.close(1000, 'é'.repeat(62))).toThrow(SyntaxError)
    socket.close(1000, 'é'.repeat(61))
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
  test('constants are on the class and on each socket; without extensions, and nothing is buffered', () => {
    const states = { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 }
    expect({ ...WebSocket }).toEqual(states)
    const { stream } = fake()
    expect(new (createWebSocketClass(() => stream))('ws://host')).toMatchObject({
      ...states,
      readyState: 0,
      protocol: '',
      extensions: '',
      bufferedAmount: 0,
      binaryType: 'arraybuffer',
    })
  })

  test('sending while connecting throws', () => {
    const socket = new (createWebSocketClass(() => fake().stream, { timeout: 0 }))('ws://host')
    expect(() => socket.send('x')).toThrow(expect.objectContaining({ name: 'InvalidStateError' }) as Error)
  })

  test('a listener is called once however often it was added, and not after it was removed', async () => {
    const { stream, accept, listeners } = fake()
    const socket = new (createWebSocketClass(() => stream))('ws://host')
    await tick()
    const heard: string[] = []
    const listener = (event: SocketEvent): void => {
      heard.push(`${event.type} ${event.data}`)
    }
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
    socket.onmessage = ({ data }) => {
      if (data === 'one') throw fault
    }
    socket.addEventListener('message', ({ data }) => heard.push(data))
    expect(await unhandled(() => listeners.data!(Buffer.concat([text('one'), text('two')])))).toBe(fault)
    expect(heard).toEqual(['one', 'two'])
  })
})
