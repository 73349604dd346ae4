import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { ConnectionDropped, type Sidecar, type WatchSink } from '../../src/platform/sidecar.js'
import { converse, serve } from './support.js'
import { until } from '../support/until.js'

/** Answers each call with what it was asked, and keeps the watchers for the test to feed. */
function scripted(): Partial<Sidecar> & { readonly sinks: WatchSink[]; readonly closed: number[] } {
  const sinks: WatchSink[] = []
  const closed: number[] = []
  return {
    sinks,
    closed,
    handle: async ({ method, url, body }) => new Response(JSON.stringify([method, url, body])),
    watch: (sink) => {
      const index = sinks.push(sink) - 1
      return { close: () => void closed.push(index) }
    },
  }
}

const message = (json: string): Parameters<WatchSink['onMessage']>[0] => ({ json, gameServer: {} as never })

describe('a call over WebSocket', () => {
  test('that the sidecar drops ends without a frame and reports no error', async () => {
    const { port, faults } = await serve({ handle: () => Promise.reject(new ConnectionDropped('dropped')) })
    const { frames, ended } = converse(`ws://localhost:${port}/gameserver`)
    expect(await ended).toBe(1006)
    expect(frames).toEqual([])
    expect(faults).toEqual([])
  })
})

/** A watch that is open, and the sink by which the sidecar feeds it. */
async function watch(options: Parameters<typeof serve>[1] = {}) {
  const sidecar = scripted()
  const { port } = await serve(sidecar, options)
  const conversation = converse(`ws://localhost:${port}/watch/gameserver`)
  await conversation.opened
  await until(() => sidecar.sinks.length > 0)
  return { ...conversation, sidecar, sink: sidecar.sinks[0]! }
}

describe('a watch over WebSocket', () => {
  test('that the sidecar refuses gets the error in a frame', async () => {
    const { sink, frames, ended } = await watch()
    sink.onError!({ status: 500, body: '{"code":2}' })
    expect(await ended).toBe(1006)
    expect(frames).toEqual(['{"code":2}'])
  })

  test('is closed in the sidecar when the client closes it, and the close is acknowledged', async () => {
    const { sidecar, socket, ended } = await watch()
    socket.close(3000)
    expect(await ended).toBe(3000)
    await until(() => sidecar.closed.length === 1)
  })

  test('ignores messages of the client, answers its pings and goes on', async () => {
    const { sink, socket, frame } = await watch()
    socket.send('{"anything":1}')
    socket.send(Buffer.from([1, 2, 3]))
    socket.ping('beat')
    expect(String((await once(socket, 'pong'))[0])).toBe('beat')
    void sink.onMessage(message('{"result":1}'))
    expect(await frame(0)).toBe('{"result":1}')
  })

  test('asks for no further object while a frame waits to be sent', async () => {
    const { sink, socket } = await watch()
    socket.pause()
    const line = 'x'.repeat(1024 * 1024)
    let pending = false
    // The system takes some for a reader that doesn't read, but not for ever.
    for (let i = 0; i < 64 && !pending; i += 1) {
      const left = Promise.resolve(sink.onMessage(message(line))).then(() => 'left')
      pending = (await Promise.race([left, aFewTurns()])) !== 'left'
    }
    expect(pending).toBe(true)
    socket.resume()
  })

  test('a line at the limit kills the socket with nothing sent; one byte less passes', async () => {
    const { sink, frame, frames, ended } = await watch({ lineLimit: 65_536 })
    void sink.onMessage(message('ü'.repeat(32_767) + 'x'))
    expect(await frame(0)).toHaveLength(32_768)
    void sink.onMessage(message('ü'.repeat(32_768)))
    expect(await ended).toBe(1006)
    expect(frames).toHaveLength(1)
  })
})

const aFewTurns = async (): Promise<void> => {
  for (let i = 0; i < 200; i += 1) await new Promise(setImmediate)
}
