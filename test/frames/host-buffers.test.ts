import { describe, expect, test } from 'vitest'
import { createWebSocketClass } from '../../src/frames/index.js'
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

describe('a host whose write returns false', () => {
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

test('a host whose write always returns false and never drains sends an answer to every ping', async () => {
  const { listeners, socket, pongs } = await opened(() => false)
  const pings = join(...Array.from({ length: 600 }, (_, at) => ping(`${at}`.padStart(125, '.'))))
  for (let i = 0; i < 25; i++) listeners.data!(pings)
  expect(socket.readyState).toBe(1)
  expect(pongs()).toHaveLength(15_000)
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

  test('that rejects ends the socket with that error', async () => {
    let result: unknown = true
    const { socket } = await opened(() => result)
    const events = allEvents(socket)
    result = Promise.reject(new Error('broken pipe'))
    socket.send('x')
    expect(await events).toMatchObject([{ type: 'error', error: { message: 'broken pipe' } }, { type: 'close' }])
  })
})
