import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWebSocketClass, type SocketEvent } from '../../src/frames/index.js'
import type { AutobahnCase, Reply } from './autobahn-case.js'
import { closingCases } from './autobahn-closing.js'
import { framingCases } from './autobahn-framing.js'
import { utf8Cases } from './autobahn-utf8.js'
import { close, type ClientFrame, createClientReader } from './bytes.js'
import { nodeConnect } from '../../src/node/node-connect.js'
import { createRawServer, type RawServer, switching } from './servers.js'

/** Sequences of UTF-8 are the decoder's business, which has seen them all before the socket hears of a message. */
const isSequence = ({ id }: AutobahnCase): boolean => /^6\.([5-9]|\d\d)\./.test(id)

/** Sizes between the smallest and the largest of 4 MiB, whose only difference is how long they take. */
const isInBetween = ({ id }: AutobahnCase): boolean => /^9\.([12]\.[2356]|[34]\.[2-8]|[5-8]\.[2-5])$/.test(id)

const cases = [...framingCases, ...utf8Cases, ...closingCases].filter((it) => !isSequence(it) && !isInBetween(it))
const byId = new Map(cases.map((testCase) => [testCase.id, testCase]))

interface Seen {
  readonly replies: Reply[]
  readonly closeCode: number | undefined
}

const seen = new Map<string, (seen: Seen) => void>()
const key = ([opcode, payload]: Reply): string => `${opcode} ${Buffer.from(payload).toString('latin1')}`

/** Plays the case named in the path, as the testsuite's fuzzing server does. */
const play = (
  testCase: AutobahnCase,
  write: (bytes: Uint8Array) => void,
  done: (seen: Seen) => void,
): ((frame: ClientFrame) => void) => {
  const expected = testCase.replies()
  const replies: Reply[] = []
  const closeWhenAnswered = (): void => {
    if (testCase.end === 'server' && replies.length === expected.length) write(close(1000))
  }
  for (const bytes of testCase.bytes().slice(0, testCase.failsAfter)) {
    const { chop = bytes.length } = testCase
    for (let at = 0; at < bytes.length; at += chop) write(bytes.subarray(at, at + chop))
  }
  closeWhenAnswered()
  return ({ opcode, payload }) => {
    if (opcode === 8) done({ replies, closeCode: payload.length ? (payload[0]! << 8) | payload[1]! : 1005 })
    else {
      replies.push([opcode as Reply[0], payload])
      closeWhenAnswered()
    }
  }
}

let server: RawServer
beforeAll(async () => {
  server = await createRawServer(({ request, key, socket, rest }) => {
    const id = /^GET \/(\S+)/.exec(request)![1]!
    socket.write(switching(key))
    const read = createClientReader(play(byId.get(id)!, (bytes) => socket.write(bytes), seen.get(id)!))
    socket.on('data', read)
    if (rest.length) read(rest)
  })
})
afterAll(() => server.close())

const WebSocket = createWebSocketClass(nodeConnect)

describe('Autobahn as a client, the WebSocket class over TCP', () => {
  test.each(cases)('$id', async ({ id, replies, end }) => {
    const atServer = new Promise<Seen>((resolve) => seen.set(id, resolve))
    const errors: unknown[] = []
    const closed = await new Promise<SocketEvent>((resolve) => {
      const socket = new WebSocket(`${server.url}/${id}`)
      socket.onmessage = ({ data }) => socket.send(data!)
      socket.onerror = ({ error }) => errors.push(error)
      socket.onclose = resolve
    })
    const { replies: got, closeCode } = await atServer
    expect(got.map(key).join('\n') === replies().map(key).join('\n'), 'replies').toBe(true)
    if (end !== 'server' && 'refused' in end) {
      expect(end.refused).toContain(closeCode)
      expect(closed).toMatchObject({ code: 1006, wasClean: false })
      expect(errors).toMatchObject([{ name: 'FrameError', code: closeCode }])
    } else {
      const code = end === 'server' ? 1000 : end.closed
      expect(closeCode).toBe(code)
      expect(closed).toMatchObject({ code, wasClean: true })
      expect(errors).toEqual([])
    }
  })
})
