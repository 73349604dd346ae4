import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import { expect, test, describe } from 'vitest'
import {
  createWebSocketClass,
  type FrameWebSocketClass,
  type FrameWebSocket,
  type SocketEvent,
} from '../../src/frames/index.js'
import { close, createClientReader, latin, text } from './bytes.js'
import { switching } from './servers.js'
import { allEvents, atEnd, next, serve, fake, tick } from './sockets.js'
import { nodeConnect } from '../../src/node/node-connect.js'

class TCPSocket {
  readonly opened
  private readonly socket
  constructor(host: string, port: number) {
    const socket = connect({ host, port, noDelay: true, allowHalfOpen: true })
    atEnd(() => socket.destroy())
    this.socket = socket
    this.opened = new Promise((resolve, reject) => {
      socket.once('error', reject).once('connect', () => resolve(Duplex.toWeb(socket)))
    })
  }
  close(): void {
    this.socket.destroy()
  }
}

const page = readFileSync(new URL('../../docs/frames.md', import.meta.url), 'utf8')
const recipe = /const WebSocket = (createWebSocketClass\(async [^]*?)\n```/.exec(page)![1]!
// eslint-disable-next-line @typescript-eslint/no-implied-eval
const WebSocket = new Function('createWebSocketClass', 'TCPSocket', `return ${recipe}`)(
  createWebSocketClass,
  TCPSocket,
) as FrameWebSocketClass

test('a socket over Direct Sockets sends, receives and closes', async () => {
  const server = await serve(({ key, socket, rest }) => {
    socket.write(switching(key))
    const read = createClientReader(({ opcode, payload }) => {
      if (opcode === 8) socket.end(close(1000))
      else socket.write(text(payload))
    })
    read(rest)
    socket.on('data', read)
  })
  const socket = new WebSocket(server.url)
  await next(socket, 'open')
  socket.send('x'.repeat(1 << 20))
  expect((await next(socket, 'message')).data === 'x'.repeat(1 << 20)).toBe(true)
  socket.close()
  expect(await next(socket, 'close')).toMatchObject({ code: 1000, wasClean: true })
})

test('a stream over Direct Sockets that is refused gives up its connection', async () => {
  let isGone!: () => void
  const gone = new Promise<void>((resolve) => {
    isGone = resolve
  })
  const server = await serve(({ key, socket }) => {
    socket.on('close', isGone)
    socket.write(Buffer.concat([latin(switching(key)), text(Uint8Array.of(0xff))]))
  })
  const socket = new WebSocket(server.url)
  socket.onopen = () => socket.send(new Uint8Array(32 << 20))
  expect(await allEvents(socket)).toMatchObject([
    { type: 'open' },
    { type: 'error', error: { code: 1007 } },
    { type: 'close', code: 1006 },
  ])
  await gone
})

const NodeWebSocket = createWebSocketClass(nodeConnect)

describe('messages in the packet of the 101', () => {
  const isOpen = async (socket: FrameWebSocket): Promise<SocketEvent> => await next(socket, 'open')

  test('reach a listener that is added after `await open`, and the end of the connection follows them', async () => {
    const server = await serve(({ key, socket }) =>
      socket.end(Buffer.concat([latin(switching(key)), text('one'), text('two')])),
    )
    const socket = new NodeWebSocket(server.url)
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
