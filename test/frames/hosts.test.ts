/** Streams, timers, encoders and sources of randomness as hosts have them that don't do everything as Node does. */
import { runInNewContext } from 'node:vm'
import { afterEach, expect, test, vi } from 'vitest'
import { createWebSocketClass, MessageDecoder, type WebSocketOptions } from '../../src/frames/index.js'
import { close, frame, join, text } from '../support/frames.js'
import { turns } from '../support/until.js'
import { allEvents, fake, next, opened } from './sockets.js'

afterEach(() => vi.unstubAllGlobals())

/** An open socket whose host does with each frame what `onFrame` says, and what became of the socket. */
const acting = async (onFrame: (deliver: (bytes: Uint8Array) => void, end: (error?: unknown) => void) => unknown) => {
  let isOpen = false
  const host = await opened({
    write: () => (isOpen ? onFrame(host.listeners.data!, host.listeners.close!) : undefined),
  })
  isOpen = true
  const events: unknown[] = []
  for (const type of ['message', 'error', 'close']) {
    host.socket.addEventListener(type, ({ data, error, code }) => {
      events.push(data ?? (error as Error | undefined)?.message ?? code)
    })
  }
  return { ...host, events }
}

test.each<[string, Parameters<typeof acting>[0], unknown[]]>([
  ['a host may answer the close frame at once', (deliver) => deliver(close(1000)), [1000]],
  ['a host may end the stream at once', (_deliver, end) => end(new Error('EPIPE')), ['EPIPE', 1006]],
])('%s: CLOSED stays, without a timer', async (_name, onFrame, expected) => {
  const { socket, events, timers, closes } = await acting(onFrame)
  socket.close()
  expect(socket.readyState).toBe(3)
  expect(timers.size).toBe(0)
  await turns()
  expect(events).toEqual(expected)
  expect(closes()).toBe(1)
})

test('bytes that the host pushes during a write are read in order', async () => {
  const { socket, events, listeners } = await acting((deliver) => deliver(text('four')))
  socket.onmessage = ({ data }) => {
    if (data === 'one') socket.send('x')
  }
  listeners.data!(join(text('one'), text('two'), text('three')))
  expect(events).toEqual(['one', 'two', 'three', 'four'])
})

test.each<[string, () => unknown, string]>([
  ['a rejected promise of another realm', () => runInNewContext('Promise.reject(new Error("EPIPE"))'), 'EPIPE'],
  [
    'a thenable that rejects with nothing',
    () => ({ then: (_: unknown, reject: () => void) => reject() }),
    'The stream failed',
  ],
])('%s ends the socket with an error, and nothing throws', async (_name, write, message) => {
  const { socket, listeners } = await acting(write)
  const events = allEvents(socket)
  listeners.data!(frame(9))
  socket.send('x')
  const [error, end] = await events
  expect((error!.error as Error).message).toBe(message)
  expect(end).toMatchObject({ type: 'close', code: 1006 })
})

test.each(['onData', 'onClose'] as const)('a rejected promise of %s ends the socket', async (name) => {
  const { connect } = fake({ [name]: () => Promise.reject(new Error(`no ${name}`)) })
  expect(await allEvents(connect())).toMatchObject([{ error: { message: `no ${name}` } }, { code: 1006 }])
})

test('bufferedAmount counts pending writes, and each that is sent restarts the timeout of close()', async () => {
  const settle: (() => void)[] = []
  const { socket, timers } = await opened({
    write: () => ({ then: (resolve: () => void) => settle.push(resolve) }),
  })
  const before = socket.bufferedAmount
  socket.send('x'.repeat(10))
  expect(socket.bufferedAmount).toBe(before + 16)
  socket.close()
  const [first] = timers.keys()
  await turns()
  for (const resolve of [...settle, ...settle]) resolve()
  await turns()
  expect(socket.bufferedAmount).toBe(0)
  const [last, ...others] = timers.keys()
  expect([last === first, others]).toEqual([false, []])
})

test.each<[WebSocketOptions, number[]]>([
  [{}, [10_000]],
  [{ timeout: 1e12 }, [2 ** 31 - 1]],
  [{ timeout: 0 }, []],
  [{ timeout: Infinity }, []],
])('with %o the timers of a dial have %j ms', (options, ms) => {
  const { connect, timers } = fake({}, options)
  connect()
  expect([...timers.values()]).toEqual(ms)
})

test('without timers, messages in the packet of the 101 arrive and a socket closes', async () => {
  const withoutTimers = <T>(call: () => T): T => {
    const { setTimeout } = globalThis
    globalThis.setTimeout = undefined as never
    try {
      return call()
    } finally {
      globalThis.setTimeout = setTimeout
    }
  }
  const { connect, accept, listeners } = fake({}, { setTimer: undefined } as unknown as WebSocketOptions)
  const socket = withoutTimers(() => connect())
  await turns()
  const message = next(socket, 'message')
  withoutTimers(() => accept('', text('one')))
  expect((await message).data).toBe('one')
  const closed = next(socket, 'close')
  withoutTimers(() => socket.close())
  listeners.data!(close(1000))
  expect(await closed).toMatchObject({ code: 1000, wasClean: true })
})

test.each(['timeout', 'maxMessage', 'maxFragments'])('%s that is no number is refused at once', (name) => {
  for (const value of [NaN, -1, 'big' as never]) {
    expect(() => createWebSocketClass(() => undefined as never, { [name]: value })).toThrow(RangeError)
    expect(() => new MessageDecoder({ [name]: value })).toThrow(RangeError)
  }
})

const TEXTS = ['', 'plain', '\0\x7f\x80߿ࠀ￿', 'grüße 日本 😀', 'lone \ud800 in the middle', '\udc00 first'].concat([
  'last \ud83d',
  '\ud83d\ud83d\ude00\ude00',
])

test('texts of every length and kind arrive as the standard encodes them', async () => {
  const { socket, sent } = await opened()
  const all = TEXTS.flatMap((text) => [0, 47, 48, 49, 126, 682, 683, 5000, 21_846].map((n) => 'x'.repeat(n) + text))
  for (const text of all) socket.send(text)
  expect(sent().map(({ opcode, payload }) => [opcode, Buffer.from(payload).toString()])).toEqual(
    all.map((text) => [1, Buffer.from(text).toString()]),
  )
})

const masksOf = (written: readonly Uint8Array[]): string[] =>
  written.slice(1).map((bytes) => Buffer.from(bytes.subarray(2, 6)).toString('hex'))

test("masks and keys come from the host's crypto, each different", async () => {
  let calls = 0
  vi.stubGlobal('crypto', {
    getRandomValues: (bytes: Uint8Array) => {
      calls++
      bytes.forEach((_, at) => (bytes[at] = at * 7 + calls))
    },
  })
  const random = vi.spyOn(Math, 'random')
  const { socket, written, request } = await opened()
  for (let i = 0; i < 1000; i++) socket.send('x')
  expect(random).not.toHaveBeenCalled()
  random.mockRestore()
  expect(calls).toBeGreaterThan(3)
  const key = Buffer.from(Uint8Array.from({ length: 16 }, (_, at) => at * 7 + 1)).toString('base64')
  expect(request()).toContain(`Sec-WebSocket-Key: ${key}\r\n`)
  const mask = Buffer.from(Uint8Array.from({ length: 4 }, (_, at) => at * 7 + 2)).toString('hex')
  expect(masksOf(written)[0]).toBe(mask)
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
])('masks and keys are random on a host %s', async (_name, crypto) => {
  vi.stubGlobal('crypto', crypto)
  const { socket, written } = await opened()
  for (let i = 0; i < 100; i++) socket.send('x')
  expect(new Set(masksOf(written)).size).toBeGreaterThan(90)
})
