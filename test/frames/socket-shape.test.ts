import { describe, expect, test } from 'vitest'
import { createWebSocketClass, type FrameWebSocket, type SocketEvent, type ByteStream } from '../../src/frames/index.js'
import { createClientReader, text, utf8, close, frame, join, latin } from './bytes.js'
import { fake, tick } from './sockets.js'
import { switching } from './servers.js'

const opened = async () => {
  const host = fake()
  const socket = new (createWebSocketClass(() => host.stream))('ws://host')
  await tick()
  host.accept()
  const sent = (): string[] => {
    const texts: string[] = []
    const read = createClientReader(({ opcode, payload }) => texts.push(`${opcode} ${Buffer.from(payload).toString()}`))
    for (const frame of host.written.slice(1)) read(Buffer.from(frame, 'latin1'))
    return texts
  }
  return { ...host, socket, sent, receive: (data: string) => host.listeners.data!(text(data)) }
}

describe('a subprotocol', () => {
  const WebSocket = createWebSocketClass(() => fake().stream, { timeout: 0 })
  test.each([
    ['that is empty', ['']],
    ['that is empty, alone', ''],
    ['that is there twice', ['chat', 'chat']],
    ['with a space', ['a b']],
    ['with a comma', 'a, b'],
    ['with a line break', ['a\r\nX: y']],
    ['beyond ASCII', ['é']],
  ])('%s is a SyntaxError', (_name, protocols) => {
    expect(() => new WebSocket('ws://host', protocols)).toThrow(SyntaxError)
  })

  test.each(['ws://host:65536', 'ws://host:99999', 'ws://host:99999999999999999999'])(
    'and so is the port of %s',
    (url) => {
      expect(() => new WebSocket(url)).toThrow(SyntaxError)
      expect(() => new WebSocket('ws://host:65535')).not.toThrow()
    },
  )
})

describe('listeners', () => {
  test('have the socket as `this`, be they handlers, functions or objects', async () => {
    const { socket, receive } = await opened()
    const seen: unknown[] = []
    socket.onmessage = function (this: FrameWebSocket) {
      seen.push(this)
    }
    socket.addEventListener('message', function (this: FrameWebSocket) {
      seen.push(this)
    })
    const object = {
      handleEvent(event: SocketEvent) {
        seen.push(this === object && event.data)
      },
    }
    socket.addEventListener('message', object)
    receive('x')
    expect(seen).toEqual([socket, socket, 'x'])
    socket.removeEventListener('message', object)
    receive('y')
    expect(seen).toHaveLength(5)
  })

  test('for one event only are called once, even if they cause the next', async () => {
    const { socket, receive } = await opened()
    const seen: unknown[] = []
    const listener = ({ data }: SocketEvent): void => {
      seen.push(data)
      if (seen.length < 3) receive('again')
    }
    socket.addEventListener('message', listener, { once: true })
    socket.addEventListener('message', listener)
    receive('one')
    receive('two')
    expect(seen).toEqual(['one'])
  })

  test('that a listener before them removed are not called, and null is none', async () => {
    const { socket, receive } = await opened()
    const seen: string[] = []
    const second = (): void => {
      seen.push('second')
    }
    socket.addEventListener('message', () => {
      seen.push('first')
      socket.removeEventListener('message', second)
    })
    socket.addEventListener('message', second)
    socket.addEventListener('message', null)
    socket.removeEventListener('message', null)
    receive('x')
    expect(seen).toEqual(['first'])
  })
})

describe('a listener with a signal', () => {
  test('is removed when the signal is aborted, and is not added after that', async () => {
    const { socket, receive } = await opened()
    const seen: unknown[] = []
    const listener = ({ data }: SocketEvent): void => {
      seen.push(data)
    }
    const controller = new AbortController()
    socket.addEventListener('message', listener, { signal: controller.signal })
    receive('before')
    controller.abort()
    receive('after')
    socket.addEventListener('message', listener, { signal: controller.signal })
    receive('later')
    expect(seen).toEqual(['before'])
  })

  test('that was removed and added again without the signal outlives the signal', async () => {
    const { socket, receive } = await opened()
    const seen: unknown[] = []
    const listener = ({ data }: SocketEvent): void => {
      seen.push(data)
    }
    const controller = new AbortController()
    socket.addEventListener('message', listener, { signal: controller.signal })
    socket.removeEventListener('message', listener)
    socket.addEventListener('message', listener)
    controller.abort()
    receive('x')
    expect(seen).toEqual(['x'])
  })
})

describe('the constructor', () => {
  test('takes a URL object', async () => {
    const host = fake()
    const socket = new (createWebSocketClass(() => host.stream))(new URL('ws://host:1234/path?query'))
    expect(socket.url).toBe('ws://host:1234/path?query')
    await tick()
    expect(host.written[0]).toMatch(/^GET \/path\?query HTTP\/1\.1\r\nHost: host:1234\r\n/)
  })

  test('copies the array of subprotocols', async () => {
    const host = fake()
    const protocols = ['chat', 'superchat']
    const socket = new (createWebSocketClass(() => host.stream))('ws://host', protocols)
    protocols.splice(0, 2, 'changed')
    await tick()
    expect(host.written[0]).toContain('\r\nSec-WebSocket-Protocol: chat, superchat\r\n')
    host.accept('Sec-WebSocket-Protocol: superchat\r\n')
    expect(socket.protocol).toBe('superchat')
  })
})

describe('a subclass', () => {
  test('overrides methods and getters, and reaches those of the class by super', async () => {
    const host = fake()
    class Loud extends createWebSocketClass(() => host.stream) {
      readonly seen: unknown[] = []
      constructor(url: string) {
        super(url)
        super.addEventListener('message', ({ data }) => this.seen.push(data))
      }
      override get bufferedAmount() {
        return super.bufferedAmount + 1000
      }
      override send(data: string) {
        super.send(data.toUpperCase())
      }
    }
    const socket = new Loud('ws://host')
    await tick()
    host.accept()
    socket.send('hello')
    host.listeners.data!(text('x'))
    const sent: string[] = []
    createClientReader(({ payload }) => sent.push(Buffer.from(payload).toString()))(
      Buffer.from(host.written[1]!, 'latin1'),
    )
    expect(sent).toEqual(['HELLO'])
    expect(socket.bufferedAmount).toBe(1000)
    expect(socket.seen).toEqual(['x'])
    expect(socket).toBeInstanceOf(Loud)
  })
})

describe('send()', () => {
  test.each<[string, unknown, string]>([
    ['a number', 5, '1 5'],
    ['nothing at all', undefined, '1 undefined'],
    ['null', null, '1 null'],
    ['an object', { a: 1 }, '1 [object Object]'],
    ['an array', [1, 2], '1 1,2'],
    ['a view into a larger buffer', new Uint16Array(utf8('abcdef').buffer, 2, 1), '2 cd'],
    ['a buffer', utf8('ab').buffer, '2 ab'],
  ])('sends %s as a page does', async (_name, data, expected) => {
    const { socket, sent } = await opened()
    socket.send(data as string)
    expect(sent()).toEqual([expected])
  })

  test('leaves the bytes that it is given as they are', async () => {
    const { socket } = await opened()
    for (const length of [3, 5000]) {
      const bytes = new Uint8Array(length).fill(7)
      socket.send(bytes)
      expect(bytes.every((byte) => byte === 7)).toBe(true)
    }
  })

  test.each([
    ['a Blob', new Blob(['x'])],
    ['a symbol', Symbol('x')],
  ])('refuses %s with a TypeError', async (_name, data) => {
    const { socket, written } = await opened()
    expect(() => socket.send(data as never)).toThrow(TypeError)
    expect(written).toHaveLength(1)
  })
})

const manualTimers = () => {
  const pending = new Map<() => void, number>()
  return {
    pending,
    setTimer: (ms: number, call: () => void) => {
      pending.set(call, ms)
      return () => void pending.delete(call)
    },
    fire: () => {
      for (const call of pending.keys()) call()
    },
  }
}

/** A socket over a stream in memory, and the types of its events so far. */
const connecting = async (overrides: Partial<ByteStream> = {}) => {
  const timers = manualTimers()
  const host = fake(overrides)
  const socket = new (createWebSocketClass(() => host.stream, { setTimer: timers.setTimer }))('ws://host')
  const types: string[] = []
  for (const type of ['open', 'message', 'error', 'close']) {
    socket.addEventListener(type, (event: SocketEvent) => types.push(event.type))
  }
  await tick()
  const key = /Sec-WebSocket-Key: (.*)\r\n/.exec(host.written[0]!)![1]!
  const everything = join(latin(switching(key)), text('late'), frame(9), close(1000))
  return { ...host, socket, types, timers, late: () => host.listeners.data!(everything) }
}

describe('CLOSED is final: what the server sends afterwards does nothing', () => {
  test('a 101 and a message after the time for opening', async () => {
    const { timers, types, late, socket, written } = await connecting()
    timers.fire()
    late()
    await tick()
    expect(types).toEqual(['error', 'close'])
    expect(socket.readyState).toBe(3)
    expect(written).toHaveLength(1)
  })

  test.each(['at once', 'a moment later'])('a 101 and a message after close() while connecting, %s', async (when) => {
    const { types, late, socket, written, closes } = await connecting()
    socket.close()
    if (when !== 'at once') await tick()
    late()
    await tick()
    expect(types).toEqual(['error', 'close'])
    expect(socket.readyState).toBe(3)
    expect(written).toHaveLength(1)
    expect(closes()).toBe(1)
  })

  test('messages and pings after an error of the stream', async () => {
    const { accept, types, listeners, written } = await connecting()
    accept()
    listeners.close!(new Error('cut'))
    listeners.data!(join(text('late'), frame(9), close(1000)))
    listeners.close!()
    await tick()
    expect(types).toEqual(['open', 'error', 'close'])
    expect(written).toHaveLength(1)
  })

  test('the rest of a piece whose first message made the game close the socket', async () => {
    const { accept, types, listeners, socket, timers, written } = await connecting()
    accept()
    socket.onmessage = () => {
      socket.close()
      timers.fire()
    }
    listeners.data!(join(text('one'), text('two'), frame(9), close(1000)))
    await tick()
    expect(types.filter((type) => type === 'message')).toHaveLength(1)
    expect(written).toHaveLength(2)
  })
})

describe('a timeout', () => {
  test.each([0, Infinity])('of %d is none', async (timeout) => {
    const { setTimer, pending } = manualTimers()
    const { stream, accept } = fake()
    const socket = new (createWebSocketClass(() => stream, { timeout, setTimer }))('ws://host')
    expect(pending.size).toBe(0)
    await tick()
    accept()
    socket.close()
    expect(socket.readyState).toBe(2)
    expect(pending.size).toBe(0)
  })

  test('longer than the timers of hosts know is the longest that they know', () => {
    const { setTimer, pending } = manualTimers()
    new (createWebSocketClass(() => fake().stream, { timeout: 1e12, setTimer }))('ws://host')
    expect([...pending.values()]).toEqual([2 ** 31 - 1])
  })

  test.each([-1, NaN, 'soon' as never])('of %s is refused at once', (timeout) => {
    expect(() => createWebSocketClass(() => fake().stream, { timeout })).toThrow(RangeError)
  })

  test('is set by `setTimer` as a method of the options', () => {
    class Options {
      readonly set: number[] = []
      setTimer(ms: number) {
        this.set.push(ms)
        return () => undefined
      }
    }
    const options = new Options()
    new (createWebSocketClass(() => fake().stream, options))('ws://host')
    expect(options.set).toEqual([10_000])
  })

  test('says what did not come', async () => {
    const { timers, socket } = await connecting()
    const problem = new Promise((resolve) => {
      socket.onerror = ({ error }) => resolve((error as Error).message)
    })
    timers.fire()
    expect(await problem).toBe('Timeout: no connection in 10000 ms')
  })
})
