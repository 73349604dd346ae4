import { describe, expect, test } from 'vitest'
import { type ByteStream, createWebSocketClass, type SocketEvent } from '../../src/frames/index.js'
import { close, frame, join, latin, text } from './bytes.js'
import { switching } from './servers.js'
import { fake, tick } from './sockets.js'

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
