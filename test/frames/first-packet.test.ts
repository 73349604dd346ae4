import { describe, expect, test } from 'vitest'
import { createWebSocketClass, type FrameWebSocket, type SocketEvent } from '../../src/frames/index.js'
import { nodeConnect } from '../../src/node/node-connect.js'
import { close, latin, text } from './bytes.js'
import { switching } from './servers.js'
import { allEvents, fake, next, serve, tick } from './sockets.js'

const WebSocket = createWebSocketClass(nodeConnect)

describe('messages in the packet of the 101', () => {
  const isOpen = async (socket: FrameWebSocket): Promise<SocketEvent> => await next(socket, 'open')

  test('reach a listener that is added after `await open`, and the end of the connection follows them', async () => {
    const server = await serve(({ key, socket }) =>
      socket.end(Buffer.concat([latin(switching(key)), text('one'), text('two')])),
    )
    const socket = new WebSocket(server.url)
    await isOpen(socket)
    expect(await allEvents(socket)).toMatchObject([
      { type: 'message', data: 'one' },
      { type: 'message', data: 'two' },
      { type: 'error', error: { message: 'The connection ended without a close frame' } },
      { type: 'close', code: 1006 },
    ])
  })

  test('come before what the stream delivers or reports meanwhile', async () => {
    const { stream, accept, listeners } = fake()
    const socket = new (createWebSocketClass(() => stream))('ws://host')
    const events = allEvents(socket)
    await tick()
    accept('', text('one'))
    listeners.data!(text('two'))
    listeners.close!(new Error('cut'))
    expect((await events).map(({ type, data }) => data ?? type)).toEqual(['open', 'one', 'two', 'error', 'close'])
  })

  test('are dropped if the socket is closed meanwhile', async () => {
    const { stream, accept, listeners } = fake()
    const socket = new (createWebSocketClass(() => stream))('ws://host')
    const events = allEvents(socket)
    await tick()
    accept('', text('one'))
    socket.close()
    listeners.data!(close(1000))
    expect((await events).map(({ type }) => type)).toEqual(['open', 'close'])
  })

  test('arrive on a host without timers too', async () => {
    const { stream, accept } = fake()
    const { setTimeout } = globalThis
    try {
      globalThis.setTimeout = undefined as never
      const socket = new (createWebSocketClass(() => stream))('ws://host')
      await tick()
      const message = next(socket, 'message')
      accept('', text('one'))
      expect((await message).data).toBe('one')
    } finally {
      globalThis.setTimeout = setTimeout
    }
  })
})
