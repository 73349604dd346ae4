/** For tests of the decoder and the WebSocket class: servers and streams that end with the test, and what to wait with. */
import { createServer, type Socket } from 'node:net'
import {
  createWebSocketClass,
  type ByteStream,
  type FrameWebSocket,
  type SocketEvent,
  type WebSocketOptions,
} from '../../src/frames/index.js'
import { acceptKey } from '../support/fault-server-bytes.js'
import { listenHere } from '../support/listen.js'
import { type ClientFrame, createClientReader, join, latin } from '../support/frames.js'
import { turns } from '../support/until.js'

/** A server that reads one head of each connection, leaves the rest to `onUpgrade`, and ends with the test. */
export const serve = async (onUpgrade: (key: string, socket: Socket) => void): Promise<{ url: string }> => {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {})
    let head = ''
    const onData = (bytes: Buffer): void => {
      head += bytes.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      socket.off('data', onData)
      onUpgrade(keyIn(head), socket)
    }
    socket.on('data', onData)
  })
  return { url: `ws://127.0.0.1:${await listenHere(server)}` }
}

export const keyIn = (request: string): string => /\r\nSec-WebSocket-Key: (.*)\r\n/i.exec(request)?.[1] ?? ''

export const switching = (key: string, more = ''): string =>
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
  `Sec-WebSocket-Accept: ${acceptKey(key)}\r\n${more}\r\n`

type Type = 'open' | 'message' | 'error' | 'close'

export const next = (socket: FrameWebSocket, type: Type): Promise<SocketEvent> =>
  new Promise((resolve) => {
    socket[`on${type}`] = resolve
  })

/** Everything until the end, in order. */
export const allEvents = (socket: FrameWebSocket): Promise<SocketEvent[]> =>
  new Promise((resolve) => {
    const events: SocketEvent[] = []
    for (const type of ['open', 'message', 'error', 'close']) {
      socket.addEventListener(type, (event) => events.push(event))
    }
    socket.onclose = () => setImmediate(() => resolve(events))
  })

/** A socket over a stream in memory, and all that a test may do to it or ask of it. */
export const fake = (overrides: Partial<ByteStream> = {}, options: WebSocketOptions = {}, protocols: string[] = []) => {
  const listeners: { data?: (bytes: Uint8Array) => void; close?: (error?: unknown) => void } = {}
  const written: Uint8Array[] = []
  const timers = new Map<() => void, number>()
  let closes = 0
  const stream: ByteStream = {
    write: () => undefined,
    close: () => {
      closes++
    },
    onData: (listener) => {
      listeners.data = listener
    },
    onClose: (listener) => {
      listeners.close = listener
    },
    ...overrides,
  }
  const { write } = stream
  const noted: ByteStream = {
    ...stream,
    write: (bytes) => {
      written.push(bytes)
      return write(bytes)
    },
  }
  const setTimer = (ms: number, call: () => void): (() => void) => {
    // A turn of its own, and no time limit.
    if (ms === 0) setImmediate(call)
    else timers.set(call, ms)
    return () => void timers.delete(call)
  }
  const dialled: object[] = []
  const Socket = createWebSocketClass(
    (target) => {
      dialled.push(target)
      return noted
    },
    'setTimer' in options ? options : { setTimer, ...options },
  )
  const request = (): string => Buffer.from(written[0]!).toString('latin1')
  return {
    Socket,
    dialled,
    stream: noted,
    listeners,
    written,
    timers,
    request,
    closes: () => closes,
    fire: () => [...timers.keys()].forEach((call) => call()),
    /** Delivers a right answer to the handshake, with frames behind it. */
    accept: (headers = '', ...frames: readonly Uint8Array[]): void =>
      listeners.data!(join(latin(switching(keyIn(request()), headers)), ...frames)),
    /** The frames that were written behind the request. */
    sent: (): ClientFrame[] => {
      const frames: ClientFrame[] = []
      const read = createClientReader((frame) => frames.push(frame))
      written.slice(1).forEach(read)
      return frames
    },
    connect: (url = 'ws://host') => new Socket(url, protocols),
  }
}

/** A connected one. */
export const opened = async (...given: Parameters<typeof fake>) => {
  const host = fake(...given)
  const socket = host.connect()
  await turns()
  host.accept()
  await turns()
  return { ...host, socket }
}
