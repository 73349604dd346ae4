/** `ws` as the oracle: the same bytes through its Receiver, with what its WebSocket answers as a client. */
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

/**
 * Throws unless the verdicts agree. Ours may come sooner: 1007 at a text's first bad byte, and 1009 at the header of the
 * one fragment too many, where ws reads on. Then ws must deliver no further message either.
 */
export const compare = (bytes: Uint8Array, ours: Verdict, theirs: Verdict): void => {
  const same = (a: readonly string[], b: readonly string[]): boolean => a.join('\n') === b.join('\n')
  if (same(ours.events, theirs.events) && same(ours.answers, theirs.answers)) return
  const last = ours.events.length - 1
  const isSooner =
    /^error 100[79]$/.test(ours.events[last]!) &&
    same(ours.events.slice(0, last), theirs.events.slice(0, last)) &&
    same(ours.answers.slice(0, -1), theirs.answers.slice(0, ours.answers.length - 1)) &&
    !theirs.events.slice(last).some((event) => /^(text|binary)/.test(event))
  if (isSooner) return
  throw new Error(
    `${hex(bytes)}\nours:   ${ours.events.join(' | ')} -> ${ours.answers.join(' | ')}\n` +
      `theirs: ${theirs.events.join(' | ')} -> ${theirs.answers.join(' | ')}`,
  )
}
