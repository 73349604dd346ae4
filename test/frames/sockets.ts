/** For tests of the WebSocket class: servers and streams that end with the test, and what to wait with. */
import { onTestFinished } from 'vitest'
import type { ByteStream, FrameWebSocket, SocketEvent } from '../../src/frames/index.js'
import { join, latin } from './bytes.js'
import { createRawServer, type RawServer, switching, type Upgrade } from './servers.js'

/** Runs after the test. */
export const atEnd = (cleanup: () => unknown): void => {
  onTestFinished(async () => {
    await cleanup()
  })
}

export const serve = async (onUpgrade: (upgrade: Upgrade) => void, host?: string): Promise<RawServer> => {
  const server = await createRawServer(onUpgrade, host)
  atEnd(server.close)
  return server
}

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

/** A stream in memory, for what a real one seldom does. */
export const fake = (overrides: Partial<ByteStream> = {}) => {
  const listeners: { data?: (bytes: Uint8Array) => void; close?: (error?: unknown) => void } = {}
  const written: string[] = []
  let closes = 0
  const stream: ByteStream = {
    write: (bytes) => {
      written.push(Buffer.from(bytes).toString('latin1'))
    },
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
  const accept = (headers = '', ...frames: readonly Uint8Array[]): void => {
    const key = /Sec-WebSocket-Key: (.*)\r\n/.exec(written[0]!)![1]!
    listeners.data!(join(latin(switching(key, headers)), ...frames))
  }
  return { stream, listeners, written, accept, closes: () => closes }
}
export const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
