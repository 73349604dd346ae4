/** The streams that `nodeConnect` opens, between the WebSocket class of ./frames and servers that misbehave. */
import { readdirSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { describe, expect, test, vi } from 'vitest'
import { createWebSocketClass, type FrameWebSocket, type SocketEvent } from '../../src/frames/index.js'
import { nodeConnect } from '../../src/frames/node-connect.js'
import { frame, text } from '../support/frames.js'
import { serve, switching } from '../frames/sockets.js'
import { selfSigned } from '../gateway/certificate.js'
import { listenHere } from '../support/listen.js'

/** A server in this process, and its side of each connection. */
async function listen(onSocket: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    onSocket(socket)
  })
  return { url: `ws://127.0.0.1:${await listenHere(server)}`, sockets }
}

const upgraded = (onUpgrade: (socket: Socket) => void) =>
  serve((key, socket) => {
    socket.write(switching(key))
    onUpgrade(socket)
  })

const closed = (socket: FrameWebSocket): Promise<SocketEvent> =>
  new Promise((resolve) => {
    socket.onclose = resolve
  })
const opened = (socket: FrameWebSocket): Promise<void> =>
  new Promise((resolve) => {
    socket.onopen = () => resolve()
  })

/** Descriptors of this process that are sockets. */
const descriptors = (): number => readdirSync('/dev/fd').length

describe('nodeConnect gives up a connection', () => {
  test('after a timeout, to a server that never answers', async () => {
    const server = await listen((socket) => socket.pause())
    const WebSocket = createWebSocketClass(nodeConnect, { timeout: 50 })
    const before = descriptors()
    await Promise.all(Array.from({ length: 100 }, () => closed(new WebSocket(server.url))))
    // The server's own side stays open: half of what there was, and not a socket of ours.
    await vi.waitFor(() => expect(descriptors()).toBeLessThanOrEqual(before + server.sockets.size), { timeout: 20_000 })
  })

  test('to a peer that ignores the end of our side and never stops sending', async () => {
    let isGone = false
    const server = await upgraded((socket) => {
      socket.allowHalfOpen = true
      const flood = (): void => {
        while (!isGone && socket.write(Buffer.alloc(65_536)));
      }
      socket.on('drain', flood).on('close', () => {
        isGone = true
      })
      socket.write(frame(3))
      flood()
    })
    const socket = new (createWebSocketClass(nodeConnect))(server.url)
    expect(await closed(socket)).toMatchObject({ code: 1006 })
    await vi.waitFor(() => expect(isGone).toBe(true), { timeout: 20_000 })
  })

  test('that is still being opened, at close()', async () => {
    const server = await listen(() => undefined)
    const socket = new (createWebSocketClass(nodeConnect))(server.url)
    const before = descriptors()
    socket.close()
    await closed(socket)
    await vi.waitFor(() => expect(descriptors()).toBeLessThanOrEqual(before), 20_000)
  })

  test('only after a reading peer has had time for the close frame', async () => {
    const seen: Buffer[] = []
    const server = await upgraded((socket) => {
      socket.on('data', (bytes: Buffer) => seen.push(bytes))
      socket.write(Buffer.concat([text(Buffer.from([0xff])), Buffer.alloc(200_000)]))
    })
    await closed(new (createWebSocketClass(nodeConnect, { random: () => 0 }))(server.url))
    await vi.waitFor(() => expect(Buffer.concat(seen).toString('hex')).toBe('88820000000003ef'), 20_000)
  })
})

test('bufferedAmount counts the bytes that Node has not sent yet, also while it never reaches 0', async () => {
  const server = await upgraded((socket) => socket.resume())
  let size = 0
  const socket = new (createWebSocketClass(nodeConnect))(server.url)
  await opened(socket)
  const message = new Uint8Array(1 << 20)
  for (let round = 0; round < 40; round++) {
    socket.send(message)
    size = Math.max(size, socket.bufferedAmount)
    while (socket.bufferedAmount > 3 << 20) await new Promise((resolve) => setImmediate(resolve))
  }
  expect(size).toBeLessThan(5 << 20)
  await vi.waitFor(() => expect(socket.bufferedAmount).toBe(0), { timeout: 20_000 })
  socket.close()
})

test('a WebSocket closes when its server ends its side without reading the messages that wait', async () => {
  const server = await listen((socket) => {
    socket.once('data', (head: Buffer) => {
      socket.pause()
      socket.write(switching(/Sec-WebSocket-Key: (.*)\r\n/.exec(head.toString())![1]!))
    })
  })
  const socket = new (createWebSocketClass(nodeConnect))(server.url)
  socket.onopen = () => {
    for (let i = 0; i < 20; i++) socket.send(new Uint8Array(1 << 20))
    for (const side of server.sockets) side.end()
  }
  expect(await closed(socket)).toMatchObject({ code: 1006 })
})

describe('over TLS', () => {
  const certificate = selfSigned()
  const serve = async (): Promise<number> => {
    const server = createTlsServer(certificate, (socket) => {
      let head = ''
      socket.on('error', () => undefined)
      socket.on('data', (bytes: Buffer) => {
        head += bytes.toString('latin1')
        const key = /Sec-WebSocket-Key: (.*)\r\n/.exec(head)?.[1]
        if (key === undefined || !head.endsWith('\r\n\r\n')) return
        socket.write(Buffer.concat([Buffer.from(switching(key)), text('secret')]))
      })
    })
    return await listenHere(server)
  }

  test.each(['localhost', '127.0.0.1'])(
    'nodeConnect reaches %s with a certificate that the option ca trusts',
    async (host) => {
      const port = await serve()
      const WebSocket = createWebSocketClass((target) => nodeConnect(target, { ca: certificate.cert }))
      const socket = new WebSocket(`wss://${host}:${port}`)
      const message = await new Promise<SocketEvent>((resolve) => {
        socket.onmessage = resolve
      })
      expect(message.data).toBe('secret')
      socket.close()
    },
  )

  test('nodeConnect refuses a certificate of an unknown authority', async () => {
    const socket = new (createWebSocketClass(nodeConnect))(`wss://localhost:${await serve()}`)
    const problem = new Promise((resolve) => {
      socket.onerror = ({ error }) => resolve((error as { code: string }).code)
    })
    expect(await problem).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
  })
})
