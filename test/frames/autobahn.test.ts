import { describe, expect, test } from 'vitest'
import { MessageDecoder } from '../../src/frames/index.js'
import type { AutobahnCase } from './autobahn-case.js'
import { closingCases } from './autobahn-closing.js'
import { framingCases } from './autobahn-framing.js'
import { utf8Cases } from './autobahn-utf8.js'
import { createClientReader, feed, join, utf8 } from './bytes.js'

const cases = [...framingCases, ...utf8Cases, ...closingCases]

interface Outcome {
  replies: (readonly [opcode: number, payload: Uint8Array])[]
  /** The code of the close frame that was answered; 1005 for one without. */
  closedWith?: number
  close?: readonly [code: number, reason: string]
  error?: number
}

/** A client that echoes messages: what comes of it is what a server would get. */
const run = (bytes: Uint8Array, size: number, TextDecoder: null | undefined): Outcome => {
  const outcome: Outcome = { replies: [] }
  const answered = createClientReader(({ opcode, payload }) => {
    if (opcode === 8) outcome.closedWith = payload.length ? (payload[0]! << 8) | payload[1]! : 1005
    else outcome.replies.push([opcode, payload])
  })
  const decoder = new MessageDecoder({
    ...(TextDecoder === null && { TextDecoder }),
    message: (data) => outcome.replies.push(typeof data === 'string' ? [1, utf8(data)] : [2, data.slice()]),
    write: answered,
    close: (code, reason) => {
      outcome.close = [code, reason]
    },
    error: (error) => {
      outcome.error = error.code
    },
  })
  feed(decoder.push, bytes, size)
  return outcome
}

/** Comparing megabytes item by item would take longer than all the rest. */
const digest = (replies: Outcome['replies']): string[] =>
  replies.map(([opcode, payload]) => `${opcode} ${Buffer.from(payload).toString('latin1')}`)

const check = ({ bytes, replies, end, failsAfter }: AutobahnCase, size: number, TextDecoder?: null): void => {
  const outcome = run(join(...bytes().slice(0, failsAfter)), size, TextDecoder)
  expect(digest(outcome.replies).join('\n') === digest([...replies()]).join('\n'), 'replies').toBe(true)
  if (end === 'server') {
    expect(outcome.error).toBeUndefined()
    expect(outcome.close).toBeUndefined()
  } else if ('closed' in end) {
    expect(outcome.error).toBeUndefined()
    expect(outcome.close?.[0]).toBe(end.closed)
    expect(outcome.closedWith).toBe(end.closed)
  } else {
    expect(outcome.close).toBeUndefined()
    expect(end.refused).toContain(outcome.error)
    expect(outcome.closedWith).toBe(outcome.error)
  }
}

test('the case numbers are those of the testsuite', () => {
  const families = new Map<string, number>()
  for (const { id } of cases) {
    const family = id.slice(0, id.lastIndexOf('.'))
    families.set(family, (families.get(family) ?? 0) + 1)
  }
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length)
  expect(Object.fromEntries(families)).toEqual({
    '1.1': 8,
    '1.2': 8,
    2: 11,
    3: 7,
    '4.1': 5,
    '4.2': 5,
    5: 20,
    '6.1': 3,
    '6.2': 4,
    '6.3': 2,
    '6.4': 4,
    '6.5': 5,
    '6.6': 11,
    '6.7': 4,
    '6.8': 2,
    '6.9': 4,
    '6.10': 3,
    '6.11': 5,
    '6.12': 8,
    '6.13': 5,
    '6.14': 10,
    '6.15': 1,
    '6.16': 3,
    '6.17': 5,
    '6.18': 5,
    '6.19': 5,
    '6.20': 7,
    '6.21': 8,
    '6.22': 34,
    '6.23': 7,
    '7.1': 6,
    '7.3': 6,
    '7.5': 1,
    '7.7': 13,
    '7.9': 9,
    '7.13': 2,
    '9.1': 6,
    '9.2': 6,
    '9.3': 9,
    '9.4': 9,
    '9.5': 6,
    '9.6': 6,
    '9.7': 6,
    '9.8': 6,
    '10.1': 1,
  })
})

describe('Autobahn as a client, the bytes fed whole', () => {
  test.each(cases)('$id', (testCase) => check(testCase, Infinity))

  test.each(utf8Cases)('$id without TextDecoder', (testCase) => check(testCase, Infinity, null))
})

/** Every boundary that there can be; random cuts are in differential.test.ts. */
describe('Autobahn as a client, the bytes fed one by one', () => {
  // A length of 8 bytes begins at 64 KiB. Of messages above, only the size is new, and one whole of 16 MiB is above.
  const LARGEST = 2 ** 18 + 2 ** 15
  const size = ({ bytes }: AutobahnCase): number => bytes().reduce((sum, { length }) => sum + length, 0)

  test.each(cases.filter((testCase) => size(testCase) <= LARGEST))('$id', (testCase) => check(testCase, 1))

  test.each(utf8Cases)('$id without TextDecoder', (testCase) => check(testCase, 1, null))
})
