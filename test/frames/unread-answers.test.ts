import { describe, expect, test } from 'vitest'
import { createWebSocketClass, MessageDecoder, type SocketEvent } from '../../src/frames/index.js'
import { createClientReader, frame, join, utf8 } from './bytes.js'
import { allEvents, fake, tick } from './sockets.js'

const ping = (payload: string): Uint8Array => frame(9, utf8(payload))
const pongsIn = (written: readonly string[]): string[] => {
  const pongs: string[] = []
  const read = createClientReader(({ opcode, payload }) => opcode === 10 && pongs.push(Buffer.from(payload).toString()))
  for (const bytes of written) read(Buffer.from(bytes, 'latin1'))
  return pongs
}

/** An open socket over a host whose write gives what `result` says. */
const opened = async (result: () => unknown) => {
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

/** Enough answers of 131 bytes each to fill what may wait. */
const tooMany = (): Uint8Array => join(...Array.from({ length: 600 }, (_, at) => ping(`${at}`.padStart(125, '.'))))
const last = '599'.padStart(125, '.')

describe('a host whose write returns false', () => {
  test('is given answers of 64 KiB until it drains, then the newest', async () => {
    let result: unknown = true
    const { listeners, pongs, drain, socket } = await opened(() => result)
    listeners.data!(tooMany())
    expect(pongs()).toHaveLength(600)
    result = false
    listeners.data!(tooMany())
    const ahead = pongs().length
    expect(ahead).toBeGreaterThan(1000)
    expect(ahead).toBeLessThan(1120)
    drain()
    expect(pongs().slice(ahead)).toEqual([last])
    expect(socket.bufferedAmount).toBe(131)
    result = true
    drain()
    listeners.data!(ping('well'))
    expect(pongs().slice(ahead)).toEqual([last, 'well'])
    expect(socket.bufferedAmount).toBe(0)
  })

  test('and that never tells when it drains is tried again with what comes next', async () => {
    let result: unknown = false
    const { listeners, pongs } = await opened(() => result)
    listeners.data!(tooMany())
    expect(pongs()).not.toContain(last)
    result = true
    listeners.data!(ping('next'))
    expect(pongs().slice(-2)).toEqual([last, 'next'])
  })

  test('holds what was written before close(), and nothing that comes after it', async () => {
    const { socket, listeners, pongs } = await opened(() => false)
    socket.send('x'.repeat(1000))
    socket.close()
    const held = socket.bufferedAmount
    listeners.data!(join(ping('late'), ping('later')))
    expect(pongs()).toEqual([])
    expect(socket.bufferedAmount).toBe(held)
  })

  test('tells by bufferedAmount what it holds, until it drains', async () => {
    let result: unknown = true
    const { socket, drain } = await opened(() => result)
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

describe('a host whose write returns a promise', () => {
  test('tells by bufferedAmount what is pending', async () => {
    let settle: (() => void)[] = []
    const { socket } = await opened(() => new Promise<void>((resolve) => settle.push(resolve)))
    const before = socket.bufferedAmount
    socket.send('x'.repeat(10))
    expect(socket.bufferedAmount).toBe(before + 16)
    settle.forEach((resolve) => resolve())
    settle = []
    await tick()
    expect(socket.bufferedAmount).toBe(0)
  })

  test('is given answers of 64 KiB at most ahead, and then the newest', async () => {
    const settle: (() => void)[] = []
    const { listeners, pongs } = await opened(() => new Promise<void>((resolve) => settle.push(resolve)))
    listeners.data!(join(...Array.from({ length: 5000 }, (_, at) => ping(`${at}`.padStart(100, '.')))))
    const ahead = pongs().length
    expect(ahead).toBeLessThan(700)
    expect(ahead).toBeGreaterThan(500)
    for (const resolve of settle.splice(0)) resolve()
    await tick()
    expect(pongs()).toHaveLength(ahead + 1)
    expect(pongs().at(-1)).toBe('4999'.padStart(100, '.'))
  })

  test('that rejects ends the socket with that error', async () => {
    let result: unknown = true
    const { socket } = await opened(() => result)
    const events = allEvents(socket)
    result = Promise.reject(new Error('broken pipe'))
    socket.send('x')
    expect(await events).toMatchObject([{ type: 'error', error: { message: 'broken pipe' } }, { type: 'close' }])
  })
})

test('a peer that pings on and on and takes no answer is refused with 1008, after a bounded number of writes', async () => {
  const { listeners, socket, written } = await opened(() => false)
  const events: SocketEvent[] = []
  socket.onerror = (event) => events.push(event)
  for (let i = 0; i < 20_000; i++) listeners.data!(ping('x'.repeat(125)))
  expect(events).toMatchObject([{ error: { code: 1008, message: expect.stringContaining('pings') as string } }])
  expect(socket.readyState).toBe(3)
  expect(written.join('').length).toBeLessThan(4 << 20)
})

test('a decoder of its own bounds its answers in the same way', () => {
  const written: string[] = []
  const errors: number[] = []
  let result: unknown = false
  const decoder = new MessageDecoder({
    write: (bytes) => {
      written.push(Buffer.from(bytes).toString('latin1'))
      return result
    },
    error: ({ code }) => errors.push(code),
  })
  decoder.push(tooMany())
  expect(pongsIn(written).length).toBeLessThan(520)
  result = true
  decoder.drained()
  expect(pongsIn(written).at(-1)).toBe(last)
  result = false
  for (let i = 0; i < 2; i++) decoder.push(join(...Array.from({ length: 12_000 }, () => ping(''))))
  expect(errors).toEqual([1008])
})
