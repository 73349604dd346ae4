import { afterEach, describe, expect, test, vi } from 'vitest'
import { createWebSocketClass, type WebSocketOptions } from '../../src/frames/index.js'
import { type ClientFrame, createClientReader, latin, frame, join, utf8 } from './bytes.js'
import { switching } from './servers.js'
import { tick, allEvents, fake } from './sockets.js'

afterEach(() => vi.unstubAllGlobals())

/** An open socket whose frames are kept as they were written, and read when all have been. */
const opened = async (options: WebSocketOptions = {}) => {
  const written: Uint8Array[] = []
  let deliver!: (bytes: Uint8Array) => void
  const socket = new (createWebSocketClass(
    () => ({
      write: (bytes) => {
        written.push(bytes)
      },
      close: () => undefined,
      onData: (listener) => {
        deliver = listener
      },
      onClose: () => undefined,
    }),
    options,
  ))('ws://host')
  await tick()
  const key = /Sec-WebSocket-Key: (.*)\r\n/.exec(Buffer.from(written[0]!).toString())![1]!
  deliver(latin(switching(key)))
  const frames = (): ClientFrame[] => {
    const seen: ClientFrame[] = []
    const read = createClientReader((frame) => seen.push(frame))
    for (const bytes of written.slice(1)) read(bytes)
    return seen
  }
  return { socket, frames, written, key }
}

/** An encoder as some hosts have it: lone surrogates pass. */
class LaxEncoder {
  encode(text: string): Uint8Array {
    return Uint8Array.from([...text].flatMap((char) => [...Buffer.from(char, 'latin1')]))
  }
}
/** One without `encodeInto`, which came later. */
class OldEncoder {
  encode = (text: string): Uint8Array => new TextEncoder().encode(text)
}
const encoders: [string, WebSocketOptions][] = [
  ["the host's encoder", {}],
  ['an encoder without encodeInto', { TextEncoder: OldEncoder }],
  ['an encoder that encodes wrong', { TextEncoder: LaxEncoder }],
  ['no encoder', { TextEncoder: null }],
]

const texts = [
  '',
  'a',
  'plain',
  '\0\x7f\x80߿ࠀ￿',
  'grüße 日本 😀',
  'lone \ud800 in the middle',
  '\udc00 first',
  'last \ud83d',
  '\ud83d\ud83d\ude00\ude00',
]

describe.each(encoders)('with %s', (_name, options) => {
  test('texts of every length and kind arrive as the standard encodes them', async () => {
    const { socket, frames } = await opened(options)
    const sent = texts.flatMap((text) =>
      [0, 10, 47, 48, 49, 120, 126, 680, 682, 683, 5000, 21_845, 21_846].map((length) => 'x'.repeat(length) + text),
    )
    for (const text of sent) socket.send(text)
    expect(frames().map(({ opcode, payload }) => [opcode, Buffer.from(payload).toString()])).toEqual(
      sent.map((text) => [1, Buffer.from(text).toString()]),
    )
  })
})

test('bytes of every length arrive, wherever they begin in their buffer', async () => {
  const { socket, frames } = await opened()
  const source = Uint8Array.from({ length: 70_000 }, (_, at) => at * 31)
  const cuts = [0, 1, 2, 3, 4, 5, 125, 126, 127, 2047, 2048, 2049, 65_535, 65_536].flatMap((length) =>
    [0, 1, 2, 3].map((start) => source.subarray(start, start + length)),
  )
  for (const bytes of cuts) socket.send(bytes)
  expect(frames().every(({ opcode, payload }, at) => opcode === 2 && Buffer.from(payload).equals(cuts[at]!))).toBe(true)
  expect(frames()).toHaveLength(cuts.length)
})

describe('masks and keys', () => {
  const masksOf = (written: readonly Uint8Array[]): string[] =>
    written.slice(1).map((bytes) => Buffer.from(bytes.subarray(2, 6)).toString('hex'))

  test("are of the host's crypto, none of them twice", async () => {
    const calls: number[] = []
    vi.stubGlobal('crypto', {
      getRandomValues: (bytes: Uint8Array) => {
        calls.push(bytes.length)
        return bytes.forEach((_, at) => (bytes[at] = at * 7 + calls.length))
      },
    })
    const random = vi.spyOn(Math, 'random')
    const { socket, written, key } = await opened()
    for (let i = 0; i < 1000; i++) socket.send('x')
    expect(random).not.toHaveBeenCalled()
    expect(calls.length).toBeGreaterThan(3)
    expect(key).toBe(Buffer.from(Uint8Array.from({ length: 16 }, (_, at) => at * 7 + 1)).toString('base64'))
    expect(masksOf(written)[0]).toBe(
      Buffer.from(Uint8Array.from({ length: 4 }, (_, at) => (at + 16) * 7 + 1)).toString('hex'),
    )
    random.mockRestore()
  })

  test.each([
    ['without crypto', undefined],
    [
      'with a crypto that throws',
      {
        getRandomValues: () => {
          throw new Error('no entropy')
        },
      },
    ],
  ])('are random on a host %s', async (_name, crypto) => {
    vi.stubGlobal('crypto', crypto)
    const { socket, written, key } = await opened()
    for (let i = 0; i < 100; i++) socket.send('x')
    expect(key).toMatch(/^[\w+/]{21}[AQgw]==$/)
    expect(new Set(masksOf(written)).size).toBeGreaterThan(90)
  })
})

const ping = (payload: string): Uint8Array => frame(9, utf8(payload))
const pongsIn = (written: readonly string[]): string[] => {
  const pongs: string[] = []
  const read = createClientReader(({ opcode, payload }) => opcode === 10 && pongs.push(Buffer.from(payload).toString()))
  for (const bytes of written) read(Buffer.from(bytes, 'latin1'))
  return pongs
}

/** An open socket over a host whose write gives what `result` says. */
const openedTo = async (result: () => unknown) => {
  const written: string[] = []
  let drain!: () => void
  const host = fake({
    write: (bytes) => {
      written.push(Buffer.from(bytes).toString('latin1'))
      host.written.push(written.at(-1)!)
      return result()
    },
    onDrain: (listener) => {
      drain = listener
    },
  })
  const socket = new (createWebSocketClass(() => host.stream))('ws://host')
  await tick()
  host.accept()
  return { ...host, socket, pongs: () => pongsIn(written.slice(1)), drain: () => drain() }
}

describe('a host whose write returns false', () => {
  test('holds what was written before close(), and nothing that comes after it', async () => {
    const { socket, listeners, pongs } = await openedTo(() => false)
    socket.send('x'.repeat(1000))
    socket.close()
    const held = socket.bufferedAmount
    listeners.data!(join(ping('late'), ping('later')))
    expect(pongs()).toEqual([])
    expect(socket.bufferedAmount).toBe(held)
  })

  test('tells by bufferedAmount what it holds, until it drains', async () => {
    let result: unknown = true
    const { socket, drain } = await openedTo(() => result)
    socket.send('x'.repeat(10))
    expect(socket.bufferedAmount).toBe(0)
    result = false
    socket.send('x'.repeat(10))
    socket.send('x'.repeat(10))
    expect(socket.bufferedAmount).toBe(32)
    drain()
    expect(socket.bufferedAmount).toBe(0)
  })
})

test('a host whose write always returns false and never drains sends an answer to every ping', async () => {
  const { listeners, socket, pongs } = await openedTo(() => false)
  const pings = join(...Array.from({ length: 600 }, (_, at) => ping(`${at}`.padStart(125, '.'))))
  for (let i = 0; i < 25; i++) listeners.data!(pings)
  expect(socket.readyState).toBe(1)
  expect(pongs()).toHaveLength(15_000)
})

describe('a host whose write returns a promise', () => {
  test('tells by bufferedAmount what is pending', async () => {
    let settle: (() => void)[] = []
    const { socket } = await openedTo(() => new Promise<void>((resolve) => settle.push(resolve)))
    const before = socket.bufferedAmount
    socket.send('x'.repeat(10))
    expect(socket.bufferedAmount).toBe(before + 16)
    settle.forEach((resolve) => resolve())
    settle = []
    await tick()
    expect(socket.bufferedAmount).toBe(0)
  })

  test('that rejects ends the socket with that error', async () => {
    let result: unknown = true
    const { socket } = await openedTo(() => result)
    const events = allEvents(socket)
    result = Promise.reject(new Error('broken pipe'))
    socket.send('x')
    expect(await events).toMatchObject([{ type: 'error', error: { message: 'broken pipe' } }, { type: 'close' }])
  })
})
