/** Streams as a host may have them that doesn't do everything as Node does. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { type ByteStream, createWebSocketClass, MessageDecoder, type WebSocketOptions } from '../../src/frames/index.js'
import { close, frame, join, latin, text } from './bytes.js'
import { switching } from './servers.js'
import { tick } from './sockets.js'

/** A socket over a host that does with each frame what `onFrame` says; the handshake is answered in order. */
const over = async (
  onFrame: (bytes: Uint8Array, deliver: (bytes: Uint8Array) => void, end: (error?: unknown) => void) => unknown,
  { overrides = {}, options = {} }: { overrides?: Partial<ByteStream>; options?: WebSocketOptions } = {},
) => {
  let deliver: ((bytes: Uint8Array) => void) | undefined
  let end!: (error?: unknown) => void
  let closes = 0
  const timers = new Set<() => void>()
  const stream: ByteStream = {
    write: (bytes) => {
      const key = /^GET[^]*Sec-WebSocket-Key: (.*)\r\n/.exec(Buffer.from(bytes).toString('latin1'))?.[1]
      if (key === undefined) return onFrame(bytes, deliver!, end)
      // A host whose onData fails has nobody to deliver to.
      setImmediate(() => deliver?.(latin(switching(key))))
      return undefined
    },
    close: () => {
      closes++
    },
    onData: (listener) => {
      deliver = listener
    },
    onClose: (listener) => {
      end = listener
    },
    ...overrides,
  }
  const socket = new (createWebSocketClass(() => stream, {
    setTimer: (_ms, call) => {
      timers.add(call)
      return () => timers.delete(call)
    },
    ...options,
  }))('ws://host')
  const events: unknown[] = []
  for (const type of ['open', 'message', 'error', 'close']) {
    socket.addEventListener(type, ({ data, error, code }) => {
      events.push(data ?? (error instanceof Error ? error.message : undefined) ?? code ?? type)
    })
  }
  return { socket, events, timers, closes: () => closes, deliver: (bytes: Uint8Array) => deliver!(bytes) }
}

const opened = async (...given: Parameters<typeof over>) => {
  const host = await over(...given)
  await tick()
  await tick()
  expect(host.socket.readyState).toBe(1)
  return host
}

const codeOf = (bytes: Uint8Array): number => bytes[0]! & 15

describe('a host that delivers while it writes', () => {
  test('may answer the close frame at once: CLOSED stays, with one close event and no timer', async () => {
    const { socket, events, timers, closes } = await opened((bytes, deliver) => {
      if (codeOf(bytes) === 8) deliver(close(1000))
    })
    socket.close()
    expect(socket.readyState).toBe(3)
    expect(timers.size).toBe(0)
    await tick()
    expect(events).toEqual(['open', 1000])
    expect(closes()).toBe(1)
  })

  test('may end the stream at once: CLOSED stays', async () => {
    const { socket, events, timers } = await opened((_bytes, _deliver, end) => end(new Error('EPIPE')))
    socket.close()
    expect(socket.readyState).toBe(3)
    expect(timers.size).toBe(0)
    expect(events).toEqual(['open', 'EPIPE', 1006])
  })

  test('may answer what is sent as soon as the socket opens', async () => {
    const host = await over((_bytes, deliver) => deliver(text('echo')))
    host.socket.onopen = () => host.socket.send('x')
    await tick()
    await tick()
    expect(host.events).toEqual(['open', 'echo'])
  })

  test('gets its bytes read in the order in which it gave them', async () => {
    const { socket, events, deliver } = await opened((_bytes, again) => again(text('four')))
    socket.onmessage = ({ data }) => {
      if (data === 'one') socket.send('x')
    }
    deliver(join(text('one'), text('two'), text('three')))
    expect(events).toEqual(['open', 'one', 'two', 'three', 'four'])
  })
})

describe('a host whose promises', () => {
  test('are of another realm ends the socket when one is rejected', async () => {
    const { socket, events } = await opened(
      () => runInNewContext('Promise.reject(new Error("EPIPE of elsewhere"))') as unknown,
    )
    socket.send('x')
    await tick()
    expect(socket.readyState).toBe(3)
    expect(events.at(-1)).toBe(1006)
  })

  test.each([
    [
      'throw when they are asked',
      {
        then: () => {
          throw new Error('boom')
        },
      },
    ],
    [
      'can not even be asked',
      {
        get then(): never {
          throw new Error('boom')
        },
      },
    ],
  ])('%s ends the socket, and nothing throws', async (_name, thenable) => {
    const { socket, events, deliver } = await opened(() => thenable)
    deliver(frame(9))
    socket.send('x')
    await tick()
    expect(events).toEqual(['open', 'boom', 1006])
  })

  test('settle twice is counted once', async () => {
    const { socket } = await opened(() => ({
      then: (resolve: () => void) => {
        resolve()
        resolve()
      },
    }))
    socket.send('x'.repeat(1000))
    await tick()
    expect(socket.bufferedAmount).toBe(0)
  })

  test.each(['onData', 'onClose', 'onDrain'] as const)('of %s are rejected ends the socket', async (name) => {
    const { events } = await over(() => undefined, {
      overrides: { [name]: () => Promise.reject(new Error(`no ${name}`)) },
    })
    await tick()
    expect(events.slice(0, 2)).toEqual([`no ${name}`, 1006])
  })

  test('are rejected with nothing is an error all the same', async () => {
    const { socket, events } = await opened(() => ({ then: (_resolve: unknown, reject: () => void) => reject() }))
    socket.send('x')
    await tick()
    expect(events).toEqual(['open', 'The stream failed', 1006])
  })
})

test('a timer that fires at once is no fault of the constructor', async () => {
  const { events } = await over(() => undefined, {
    options: {
      setTimer: (_ms, call) => {
        call()
        return () => undefined
      },
    },
  })
  await tick()
  expect(events).toEqual([])
})

test("the state is the socket's own: writing to it changes nothing", async () => {
  const { socket, events, deliver } = await opened(() => undefined)
  expect(() => {
    ;(socket as { readyState: number }).readyState = 0
  }).toThrow(TypeError)
  deliver(text('heard'))
  expect(events).toEqual(['open', 'heard'])
})

test.each([
  ['a number', 42, '42'],
  ['null', null, 'null'],
])('a reason that is %s goes out as its text', async (_name, reason, expected) => {
  const written: string[] = []
  const { socket } = await opened((bytes) => written.push(Buffer.from(bytes).toString('latin1')) && undefined, {
    options: { random: () => 0 },
  })
  socket.close(1000, reason as never)
  expect(written[0]!.slice(8)).toBe(expected)
})

test.each(['maxMessage', 'maxFragments'])('%s that is no number is refused at once', (name) => {
  for (const value of [NaN, -1, 'big' as never]) {
    expect(() => createWebSocketClass(() => undefined as never, { [name]: value })).toThrow(RangeError)
    expect(() => new MessageDecoder({ [name]: value })).toThrow(RangeError)
  }
})

test('a message that was given away leaves the next one whole', () => {
  const messages: string[] = []
  const decoder = new MessageDecoder({
    message: (data) => {
      messages.push(Buffer.from(data as Uint8Array).toString())
      structuredClone(data, { transfer: [(data as Uint8Array).buffer as ArrayBuffer] })
    },
    error: ({ message }) => messages.push(message),
  })
  for (const content of ['one.', 'two.', 'three.']) {
    const bytes = frame(2, latin(content))
    decoder.push(bytes.slice(0, 4))
    decoder.push(bytes.slice(4))
  }
  expect(messages).toEqual(['one.', 'two.', 'three.'])
})

test('a stream that is refused within a message lets go of what it had of it', () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const begun = frame(2, new Uint8Array(8 << 20), { fin: false })
  collectGarbage()
  const before = process.memoryUsage().arrayBuffers
  const errors: number[] = []
  const decoders = Array.from({ length: 20 }, () => {
    const decoder = new MessageDecoder({ error: ({ code }) => errors.push(code) })
    decoder.push(begun)
    decoder.push(frame(3))
    return decoder
  })
  collectGarbage()
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 << 20)
  expect(errors).toHaveLength(decoders.length)
})
