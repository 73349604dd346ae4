/**
 * `ws` as the oracle: the same bytes through its Receiver, with what its WebSocket answers as a client;
 * and the list of differences that are meant.
 */
import { isUtf8 } from 'node:buffer'
import * as ws from 'ws'
import { MessageDecoder } from '../../src/frames/index.js'
import { closePayload, createClientReader } from '../support/frames.js'

export const LIMITS = { maxMessage: 300, maxFragments: 5 } as const

/** What happened, in order: `text ...`, `binary ...`, `ping ...`, `pong ...`, `close n reason`, `error n`. */
export interface Verdict {
  readonly events: string[]
  /** Frames that were sent, as `opcode payload`. */
  readonly answers: string[]
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Pieces of `bytes` that end at `cuts`. */
export const cutAt = (bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] => {
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...ends].map((from, i) => bytes.slice(from, ends[i]))
}

export const ourVerdict = (drive: (decoder: MessageDecoder) => void): Verdict => {
  const events: string[] = []
  const answers: string[] = []
  drive(
    new MessageDecoder({
      ...LIMITS,
      message: (data) => events.push(typeof data === 'string' ? `text ${data}` : `binary ${hex(data)}`),
      ping: (payload) => events.push(`ping ${hex(payload)}`),
      pong: (payload) => events.push(`pong ${hex(payload)}`),
      close: (code, reason) => events.push(`close ${code} ${reason}`),
      error: (error) => events.push(`error ${error.code}`),
      write: createClientReader(({ opcode, payload }) => answers.push(`${opcode} ${hex(payload)}`)),
    }),
  )
  return { events, answers }
}

interface Receiver {
  on(type: string, listener: (first: never, second: never) => void): void
  _write(bytes: Uint8Array, encoding: null, done: (error?: Error | null) => void): void
}

const { Receiver } = ws as unknown as { Receiver: new (options: object) => Receiver }

const statusOf = (error: Error): number => {
  const symbol = Object.getOwnPropertySymbols(error).find(({ description }) => description === 'status-code')
  return (error as never)[symbol!]
}

export const wsVerdict = (pieces: readonly Uint8Array[]): Verdict => {
  const events: string[] = []
  const answers: string[] = []
  const receiver = new Receiver({ maxPayload: LIMITS.maxMessage, maxFragments: LIMITS.maxFragments })
  let ended = false
  receiver.on('message', (data: Buffer, isBinary: boolean) =>
    events.push(isBinary ? `binary ${hex(data)}` : `text ${data.toString()}`),
  )
  receiver.on('ping', (payload: Buffer) => {
    events.push(`ping ${hex(payload)}`)
    answers.push(`10 ${hex(payload)}`)
  })
  receiver.on('pong', (payload: Buffer) => events.push(`pong ${hex(payload)}`))
  receiver.on('conclude', (code: number, reason: Buffer) => {
    ended = true
    events.push(`close ${code} ${reason.toString()}`)
    answers.push(`8 ${code === 1005 ? '' : hex(closePayload(code, reason))}`)
  })
  for (const piece of pieces) {
    if (ended) break
    // Not `write`, which would report an error a tick later.
    receiver._write(Buffer.from(piece), null, (error) => {
      if (!error) return
      ended = true
      events.push(`error ${statusOf(error)}`)
      answers.push(`8 ${hex(closePayload(statusOf(error)))}`)
    })
  }
  return { events, answers }
}

const couldBecomeUtf8 = (bytes: Uint8Array): boolean =>
  [0x80, 0xbf].some((fill) => [0, 1, 2, 3].some((more) => isUtf8(Buffer.concat([bytes, Buffer.alloc(more, fill)]))))

interface Facts {
  /** A text can't be UTF-8 any more, from this byte of the stream on. */
  badText: boolean
  /** A message has more frames than it may. */
  manyFragments: boolean
}

/** Reads the frames of a stream for these two facts only, and stops at what it doesn't understand. */
const factsOf = (bytes: Uint8Array): Facts => {
  const data = Buffer.from(bytes)
  const facts = { badText: false, manyFragments: false }
  let kind = 0
  let frames = 0
  let text = Buffer.alloc(0)
  for (let at = 0; at + 2 <= data.length;) {
    const opcode = data[at]! & 15
    const short = data[at + 1]! & 0x7f
    const start = at + (short < 126 ? 2 : short < 127 ? 4 : 10)
    if (start > data.length) break
    const length = short < 126 ? short : short < 127 ? data.readUInt16BE(at + 2) : Number(data.readBigUInt64BE(at + 2))
    if (opcode < 8) {
      if (opcode) kind = opcode
      frames++
      if (frames > LIMITS.maxFragments) facts.manyFragments = true
      if (kind === 1) text = Buffer.concat([text, data.subarray(start, start + length)])
      if (kind === 1 && !couldBecomeUtf8(text)) facts.badText = true
      if (data[at]! & 0x80) {
        text = Buffer.alloc(0)
        frames = 0
      }
    }
    at = start + length
  }
  return facts
}

/** Every difference that is meant, and how to know it. Both verdicts are the same up to where it shows. */
const DIFFERENCES: readonly {
  reason: string
  ours: string
  holds(facts: Facts, theirs: string | undefined): boolean
}[] = [
  {
    reason: 'text is refused at its first bad byte; ws reads the message, or what comes before its end',
    ours: 'error 1007',
    holds: (facts) => facts.badText,
  },
  {
    reason: 'too many fragments are 1009 at the header of the one too many; ws: 1008, after its payload',
    ours: 'error 1009',
    holds: (facts, theirs) => facts.manyFragments && (theirs === undefined || theirs === 'error 1008'),
  },
]

/** Why the verdicts differ, `undefined` if they don't; throws if there is no reason for it. */
export const compare = (bytes: Uint8Array, ours: Verdict, theirs: Verdict): string | undefined => {
  const same = (a: readonly string[], b: readonly string[]): boolean => a.join('\n') === b.join('\n')
  if (same(ours.events, theirs.events) && same(ours.answers, theirs.answers)) return
  const last = ours.events.length - 1
  const before = ours.events.slice(0, last)
  const difference = DIFFERENCES.find(
    ({ ours: verdict, holds }) =>
      ours.events[last] === verdict &&
      same(before, theirs.events.slice(0, last)) &&
      same(ours.answers.slice(0, -1), theirs.answers.slice(0, ours.answers.length - 1)) &&
      holds(factsOf(bytes), theirs.events[last]),
  )
  if (difference) return difference.reason
  throw new Error(
    `${hex(bytes)}\nours:   ${ours.events.join(' | ')} -> ${ours.answers.join(' | ')}\n` +
      `theirs: ${theirs.events.join(' | ')} -> ${theirs.answers.join(' | ')}`,
  )
}
