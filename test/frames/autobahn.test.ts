import { describe, expect, test } from 'vitest'
import { createWebSocketClass, MessageDecoder, type SocketEvent } from '../../src/frames/index.js'
import { nodeConnect } from '../../src/frames/node-connect.js'
import { type AutobahnCase, largeCases, otherCases, type Reply, utf8Cases } from './autobahn-cases.js'
import { close, createClientReader, feed, join, utf8 } from '../support/frames.js'
import { serve, switching } from './sockets.js'

/** What comes of a case, in a form that is quick to compare: some messages have megabytes. */
interface Outcome {
  readonly replies: string
  /** Code of the close frame that the client has sent; 1005 for one without. */
  readonly sent: number | undefined
  /** Code that the client was told when the server closed. */
  readonly heard: number | undefined
  readonly error: number | undefined
}

const digest = (replies: readonly (readonly [number, Uint8Array])[]): string =>
  replies.map(([opcode, payload]) => `${opcode} ${Buffer.from(payload).toString('latin1')}`).join('\n')

const codeIn = (payload: Uint8Array): number => (payload.length > 0 ? (payload[0]! << 8) | payload[1]! : 1005)

const sentIn = ({ bytes, failsAfter }: AutobahnCase): Uint8Array => join(...bytes().slice(0, failsAfter))

/** A decoder that echoes messages. */
const decoded = (testCase: AutobahnCase, size: number): Outcome => {
  const replies: [number, Uint8Array][] = []
  let sent: number | undefined
  let heard: number | undefined
  let error: number | undefined
  const decoder = new MessageDecoder({
    message: (data) => replies.push(typeof data === 'string' ? [1, utf8(data)] : [2, data.slice()]),
    write: createClientReader(({ opcode, payload }) => {
      if (opcode === 8) sent = codeIn(payload)
      else replies.push([opcode, payload])
    }),
    close: (code) => (heard = code),
    error: ({ code }) => (error = code),
  })
  feed(decoder.push, sentIn(testCase), size)
  return { replies: digest(replies), sent, heard, error }
}

const expected = ({ replies, end, code }: AutobahnCase): Outcome => ({
  replies: digest(replies()),
  sent: end === 'server' ? undefined : code,
  heard: end === 'closed' ? code : undefined,
  error: end === 'refused' ? code : undefined,
})

const isSame = (a: Outcome, b: Outcome): boolean =>
  a.replies === b.replies && a.sent === b.sent && a.heard === b.heard && a.error === b.error

/** The numbers of the cases that fail. */
const failing = (cases: readonly AutobahnCase[], size: number): string[] =>
  cases.filter((it) => !isSame(decoded(it, size), expected(it))).map(({ id }) => id)

describe('Autobahn as a client, the decoder', () => {
  test('the bytes fed whole', () => {
    expect(failing([...otherCases, ...utf8Cases, ...largeCases], Infinity)).toEqual([])
  })

  test('the bytes fed one by one', () => {
    expect(failing([...otherCases, ...utf8Cases], 1)).toEqual([])
  })
})

test('Autobahn as a client, the WebSocket class over TCP', async () => {
  const cases = [...otherCases, ...largeCases.filter(({ id }) => id === '10.1.1')]
  const atServer = new Map<string, (seen: { replies: Reply[]; sent: number }) => void>()
  const server = await serve(({ request, key, socket, rest }) => {
    const id = /^GET \/(\S+)/.exec(request)![1]!
    const testCase = cases.find((it) => it.id === id)!
    const replies: Reply[] = []
    const missing = testCase.replies().length
    const closeWhenAnswered = (): void => {
      if (testCase.end === 'server' && replies.length === missing) socket.write(close(1000))
    }
    const read = createClientReader(({ opcode, payload }) => {
      if (opcode === 8) return atServer.get(id)!({ replies, sent: codeIn(payload) })
      replies.push([opcode as Reply[0], payload])
      closeWhenAnswered()
    })
    socket.write(switching(key))
    socket.write(sentIn(testCase))
    closeWhenAnswered()
    socket.on('data', read)
    if (rest.length > 0) read(rest)
  })
  const WebSocket = createWebSocketClass(nodeConnect)

  const results = cases.map(async ({ id, replies, end, code }) => {
    const seen = new Promise<{ replies: Reply[]; sent: number }>((resolve) => atServer.set(id, resolve))
    const socket = new WebSocket(`${server.url}/${id}`)
    socket.onmessage = ({ data }) => socket.send(data!)
    const errors: unknown[] = []
    socket.onerror = ({ error }) => errors.push((error as { code?: unknown }).code)
    const closed = await new Promise<SocketEvent>((resolve) => (socket.onclose = resolve))
    const { replies: got, sent } = await seen
    const isRefused = end === 'refused'
    expect({ id, sent, errors, closed: closed.code, wasClean: closed.wasClean }).toEqual({
      id,
      sent: code,
      errors: isRefused ? [code] : [],
      closed: isRefused ? 1006 : code,
      wasClean: !isRefused,
    })
    expect(digest(got) === digest(replies()), `${id}: replies`).toBe(true)
  })
  await Promise.all(results)
})
