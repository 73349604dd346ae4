import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer, type ServerOptions } from 'ws'
import { connect, type ConnectOptions, type PlayerConnection } from '../../src/host/player.js'
import { PLAIN, WITH_CHANNEL } from '../../src/host/wire/sockets.js'
import { collectUncaught } from '../support/uncaught.js'

/** A WebSocket server that isn't this package's. It answers each message with the same. */
async function startServer(options: ServerOptions = {}) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', ...options })
  await once(server, 'listening')
  /** What each connection has offered. */
  const offers: (string | undefined)[] = []
  const sockets: WebSocket[] = []
  server.on('connection', (socket) => {
    sockets.push(socket)
    socket.on('message', (data, isBinary) => socket.send(data as Buffer, { binary: isBinary }))
  })
  server.on('headers', (_, { headers }) => offers.push(headers['sec-websocket-protocol']))
  onTestFinished(() => {
    for (const socket of sockets) socket.terminate()
    server.close()
  })
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, offers, sockets }
}

/** An RTCPeerConnection that the client must not use. */
class Unused {
  constructor() {
    throw new Error('An RTCPeerConnection was made')
  }
}

function join(url: string | URL, options: ConnectOptions = {}): { connection: PlayerConnection; events: unknown[] } {
  const connection = connect(url, { WebSocket, ...options })
  onTestFinished(() => connection.close())
  const events: unknown[] = []
  connection.onopen = () => events.push('open')
  connection.onmessage = ({ data }) => events.push(data)
  connection.onerror = () => events.push('error')
  connection.onclose = ({ code, reason, wasClean }) => events.push({ code, reason, wasClean })
  return { connection, events }
}

const until = (connection: PlayerConnection, type: 'open' | 'message' | 'close'): Promise<unknown> =>
  new Promise((resolve) => {
    connection.addEventListener(type, resolve)
  })

describe('a connection has the shape of a WebSocket', () => {
  test('opens, carries texts and bytes, and closes', async () => {
    const server = await startServer()
    const { connection, events } = join(new URL(`${server.url}/?name=Ada`))
    expect(connection.url).toBe(`${server.url}/?name=Ada`)
    expect(connection.readyState).toBe(connection.CONNECTING)
    await until(connection, 'open')
    expect(connection.readyState).toBe(connection.OPEN)
    connection.send('text')
    connection.send(new Uint8Array([1, 2]))
    connection.sendUnreliable('unreliable')
    while (events.length < 4) await until(connection, 'message')
    expect(events).toEqual(['open', 'text', new Uint8Array([1, 2]).buffer, 'unreliable'])
    expect(connection.bufferedAmount).toBe(0)
    connection.close(4000, 'bye')
    await until(connection, 'close')
    expect(events.at(-1)).toEqual({ code: 4000, reason: 'bye', wasClean: true })
    expect(connection.readyState).toBe(connection.CLOSED)
  })

  test('refuses to send before it is open, as a WebSocket does', async () => {
    const server = await startServer()
    const { connection } = join(server.url)
    expect(() => connection.send('early')).toThrow(/CONNECTING/)
    expect(() => connection.sendUnreliable('early')).toThrow(/CONNECTING/)
    await until(connection, 'open')
  })

  test('reports a missing server by an error event, then a close event', async () => {
    const server = await startServer()
    const { connection, events } = join(server.url.replace(/\d+$/, '1'))
    await until(connection, 'close')
    expect(events).toEqual(['error', { code: 1006, reason: '', wasClean: false }])
  })

  test('has listeners that can be removed, and one that throws stops no other', async () => {
    const server = await startServer()
    const { connection } = join(server.url)
    const told: string[] = []
    const removed = (): unknown => told.push('removed')
    const uncaught = collectUncaught()
    connection.onmessage = () => {
      throw new Error('of a listener')
    }
    connection.addEventListener('message', removed)
    connection.addEventListener('message', ({ target, type }) => told.push(`${type} ${target === connection}`))
    connection.removeEventListener('message', removed)
    await until(connection, 'open')
    connection.send('x')
    await until(connection, 'message')
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(told).toEqual(['message true'])
    expect(uncaught).toEqual([new Error('of a listener')])
  })

  test('accepts only its one binaryType, which the error names', async () => {
    const server = await startServer()
    const { connection } = join(server.url)
    connection.binaryType = 'arraybuffer'
    expect(() => {
      connection.binaryType = 'blob' as 'arraybuffer'
    }).toThrow('binaryType can only be "arraybuffer"; got "blob"')
    await until(connection, 'open')
  })
})

describe('with unreliable: true, a server that knows nothing of channels', () => {
  const options = { unreliable: true, RTCPeerConnection: Unused }

  test('may take the first subprotocol', async () => {
    const server = await startServer()
    const { connection, events } = join(server.url, options)
    await until(connection, 'open')
    expect(server.sockets[0]!.protocol).toBe(PLAIN)
    connection.send('\0text')
    connection.sendUnreliable('unreliable')
    while (events.length < 3) await until(connection, 'message')
    expect(events).toEqual(['open', '\0text', 'unreliable'])
  })

  test('may accept no subprotocol, and is then dialled without one', async () => {
    const server = await startServer({ handleProtocols: () => false })
    const { connection, events } = join(server.url, options)
    await until(connection, 'open')
    expect(server.offers).toEqual([`${PLAIN},${WITH_CHANNEL}`, undefined])
    connection.send('\0text')
    await until(connection, 'message')
    expect(events).toEqual(['open', '\0text'])
  })

  test('is not dialled again by a page that has closed the connection', async () => {
    const server = await startServer({ handleProtocols: () => false })
    const { connection } = join(server.url, options)
    connection.close()
    await until(connection, 'close')
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(server.offers.length).toBeLessThan(2)
  })

  test('is offered no subprotocol by a host without RTCPeerConnection, such as Node', async () => {
    const server = await startServer()
    const { connection } = join(server.url, { unreliable: true })
    await until(connection, 'open')
    expect(server.offers).toEqual([undefined])
    expect(connection.transport).toBe('websocket')
  })
})

/** A page's RTCPeerConnection that gets nowhere. */
class Idle {
  connectionState = 'new'
  localDescription = null
  createDataChannel = (): object => ({ readyState: 'connecting' })
  createOffer = (): Promise<unknown> => new Promise(() => undefined)
  setLocalDescription = (): Promise<void> => Promise.resolve()
  setRemoteDescription(): Promise<void> {
    throw new TypeError('This is no description')
  }
  addIceCandidate = (): Promise<void> => Promise.resolve()
  close = (): void => undefined
}

test('invalid signals are ignored, and later messages arrive', async () => {
  const server = await startServer({ handleProtocols: () => WITH_CHANNEL })
  const { connection, events } = join(server.url, { unreliable: true, RTCPeerConnection: Idle })
  const uncaught = collectUncaught()
  await until(connection, 'open')
  const signals = ['{', '{}', '{"id":1}x', '{"id":1,"answer":7,"candidates":7}', '{"id":1,"answer":""}', '{"id":null}']
  for (const signal of signals) server.sockets[0]!.send(`\0${signal}`)
  server.sockets[0]!.send('on')
  await until(connection, 'message')
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(events).toEqual(['open', 'on'])
  expect(uncaught).toEqual([])
})

test('with 64 KiB waiting, unreliable messages are dropped and reliable ones are kept', async () => {
  const server = await startServer()
  const { connection } = join(server.url)
  await until(connection, 'open')
  const [socket] = server.sockets
  const came: Buffer[] = []
  socket!.removeAllListeners('message')
  socket!.on('message', (data: Buffer) => came.push(data))
  socket!.pause()
  // More than a loopback socket's own buffers hold.
  const big = Buffer.alloc(1024 * 1024)
  let sent = 0
  while (connection.bufferedAmount <= 65_536) {
    connection.send(big)
    sent += 1
    await new Promise((resolve) => setImmediate(resolve))
  }
  const before = connection.bufferedAmount
  for (let count = 0; count < 100; count++) connection.sendUnreliable(big)
  expect(connection.bufferedAmount).toBeLessThanOrEqual(before)
  connection.send('last')
  socket!.resume()
  while (came.at(-1)?.toString() !== 'last') await once(socket!, 'message')
  expect(came).toHaveLength(sent + 1)
})

describe('a mistake throws at once', () => {
  test('an option that doesn’t exist', () => {
    const call = (): unknown => connect('ws://127.0.0.1:1', { unreliabel: true } as ConnectOptions)
    expect(call).toThrow(TypeError)
    expect(call).toThrow('There is no option "unreliabel"; there are unreliable, timeout, WebSocket')
    expect(call).toThrow(expect.objectContaining({ code: 'CONFIG' }) as Error)
  })

  test.skipIf('WebSocket' in globalThis)('no WebSocket', () => {
    expect(() => connect('ws://127.0.0.1:1')).toThrow(
      'There is no WebSocket here; give a class as the option WebSocket',
    )
  })

  test('an invalid URL', () => {
    expect(() => connect('nonsense', { WebSocket })).toThrow(SyntaxError)
  })
})
