import { request as httpRequest } from 'node:http'
import WebSocket from 'ws'
import { createSeen } from '../../support/seen.js'
import { mockAt } from './mock-target.js'
import { comparable } from './send.js'

/** How a watch or a socket ended: a close code, or whether the last chunk of the stream came. */
export type Ending = { code: number } | { complete: boolean }

export interface Lines {
  /** Resolves with the next line or frame, parsed; rejects when none comes any more. */
  next(): Promise<unknown>
  /** Lines that came and that nobody asked for yet. */
  readonly waiting: readonly unknown[]
  readonly ended: Promise<Ending>
  close(): void
}

interface Collected {
  push(text: string): void
  settle(ending: Ending): void
  readonly lines: Lines
}

const createLines = (close: () => void): Collected => {
  const seen = createSeen<unknown>()
  let taken = 0
  let settle!: (ending: Ending) => void
  const ended = new Promise<Ending>((resolve) => (settle = resolve))
  void ended.then(() => seen.end())
  return {
    settle,
    push: (text) => seen.add(comparable(JSON.parse(text))),
    lines: {
      ended,
      close,
      get waiting() {
        return seen.all.slice(taken)
      },
      next: () => seen.find((line) => line, taken++),
    },
  }
}

export interface Stream extends Lines {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/** A GET whose answer is read line by line. */
export const openStream = (port: number, prefix = '', path = '/watch/gameserver'): Promise<Stream> =>
  new Promise((resolve, reject) => {
    const outgoing = httpRequest({ host: '127.0.0.1', port, path: prefix + path, agent: false }, (response) => {
      const { push, settle, lines } = createLines(() => outgoing.destroy())
      let rest = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        const parts = (rest + text).split('\n')
        rest = parts.pop() ?? ''
        for (const part of parts) push(part)
      })
      response.on('error', () => undefined)
      response.on('close', () => settle({ complete: response.complete }))
      resolve(Object.assign(lines, { status: response.statusCode ?? 0, headers: response.headers }))
    })
    outgoing.on('error', reject)
    outgoing.end()
  })

/** The same of a mock, whose stream ends by a last chunk or by an error. */
async function openMockStream(port: number): Promise<Lines> {
  const { options } = mockAt(port)!
  const left = new AbortController()
  const init = { method: 'GET', headers: {}, body: undefined, redirect: 'manual', cache: 'no-store' } as const
  const response = await options.fetch(`${options.baseUrl}/watch/gameserver`, { ...init, signal: left.signal })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const { push, settle, lines } = createLines(() => {
    left.abort()
    void reader.cancel().catch(() => undefined)
  })
  void (async () => {
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return settle({ complete: true })
        push(Buffer.from(value).toString().trimEnd())
      }
    } catch {
      settle({ complete: false })
    }
  })()
  return lines
}

function openMockSocket(port: number): Promise<Lines> {
  const { options } = mockAt(port)!
  const socket = new options.WebSocket(`${options.baseUrl.replace('http', 'ws')}/watch/gameserver`)
  const { push, settle, lines } = createLines(() => socket.close())
  socket.onmessage = ({ data }: { data: string }) => push(data)
  socket.onclose = ({ code }: { code: number }) => settle({ code })
  return new Promise((resolve) => (socket.onopen = () => resolve(lines)))
}

/** A WebSocket, every frame of which is one text of JSON. */
export const openSocket = (port: number, prefix = '', path = '/watch/gameserver'): Promise<Lines> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${prefix}${path}`)
    const { push, settle, lines } = createLines(() => socket.terminate())
    socket.on('close', (code) => settle({ code }))
    socket.on('message', (data, binary) => push(binary ? '"a binary frame"' : String(data)))
    socket.on('open', () => resolve(lines))
    socket.on('error', reject)
  })

export const watchTransports: Readonly<Record<string, (port: number, prefix?: string) => Promise<Lines>>> = {
  'HTTP stream': (port, prefix) => (mockAt(port) ? openMockStream(port) : openStream(port, prefix)),
  WebSocket: (port, prefix) => (mockAt(port) ? openMockSocket(port) : openSocket(port, prefix)),
}

/** What a watch sends for an object. */
export const result = (gameServer: unknown): unknown => ({ result: gameServer })
