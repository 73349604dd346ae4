import { expect, test } from 'vitest'
import { MessageDecoder } from '../../src/frames/index.js'
import { type AutobahnCase, largeCases, otherCases, utf8Cases } from './autobahn-cases.js'
import { createClientReader, feed, join, utf8 } from '../support/frames.js'

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

const sentIn = ({ bytes, failsAfter }: AutobahnCase): Uint8Array => join(...bytes.slice(0, failsAfter))

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
  replies: digest(replies),
  sent: end === 'server' ? undefined : code,
  heard: end === 'closed' ? code : undefined,
  error: end === 'refused' ? code : undefined,
})

const isSame = (a: Outcome, b: Outcome): boolean =>
  a.replies === b.replies && a.sent === b.sent && a.heard === b.heard && a.error === b.error

/** The numbers of the cases that fail. */
const failing = (cases: readonly AutobahnCase[], size: number): string[] =>
  cases.filter((it) => !isSame(decoded(it, size), expected(it))).map(({ id }) => id)

test('the decoder passes Autobahn, fed whole', () => {
  expect(failing([...otherCases, ...utf8Cases, ...largeCases], Infinity)).toEqual([])
})

test('the decoder passes Autobahn, fed byte by byte', () => {
  expect(failing([...otherCases, ...utf8Cases], 1)).toEqual([])
})
