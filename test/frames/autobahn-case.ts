import { close, frame, utf8 } from './bytes.js'

/** What the testsuite's server must get back: echoes of messages and answers to pings. */
export type Reply = readonly [opcode: 1 | 2 | 10, payload: Uint8Array]

/** A case of the Autobahn testsuite for clients, as our own data: what a server sends, what comes of it. */
export interface AutobahnCase {
  readonly id: string
  /** What the server sends, made when it is needed as it can be large. */
  readonly bytes: () => readonly Uint8Array[]
  /** How many bytes the server writes at a time; by default each of `bytes` at once. */
  readonly chop?: number
  readonly replies: () => readonly Reply[]
  /**
   * How it ends:
   * - `server`: all was right; the server closes with 1000 once it has the replies, and the client does too;
   * - `closed`: the server's bytes hold a close frame; the client answers with this code (1005: none);
   * - `refused`: the client fails the connection, with one of these codes.
   */
  readonly end: 'server' | { readonly closed: number } | { readonly refused: readonly number[] }
  /** The client must have failed after so many of `bytes`, before it sees the next: fail-fast, strictly. */
  readonly failsAfter?: number
}

export const HELLO = utf8('Hello, world!')

const listed = (value: readonly Uint8Array[] | (() => readonly Uint8Array[])): (() => readonly Uint8Array[]) =>
  typeof value === 'function' ? value : () => value

export type Bytes = readonly Uint8Array[] | (() => readonly Uint8Array[])

/** All is right: these replies, then a clean close by the server. */
export const passes = (
  id: string,
  bytes: Bytes,
  replies: readonly Reply[] | (() => readonly Reply[]),
  chop?: number,
): AutobahnCase => ({
  id,
  bytes: listed(bytes),
  replies: typeof replies === 'function' ? replies : () => replies,
  end: 'server',
  ...(chop && { chop }),
})

/** The client must refuse: with 1002 unless said otherwise, after these replies. */
export const refused = (
  id: string,
  bytes: Bytes,
  {
    code = [1002],
    replies = [],
    chop,
    failsAfter,
  }: {
    code?: readonly number[]
    replies?: readonly Reply[]
    chop?: number
    failsAfter?: number
  } = {},
): AutobahnCase => ({
  id,
  bytes: listed(bytes),
  replies: () => replies,
  end: { refused: code },
  ...(chop && { chop }),
  ...(failsAfter && { failsAfter }),
})

/** The server closes, among others; the client answers with the same code. */
export const closed = (id: string, bytes: Bytes, code: number, replies: readonly Reply[] = []): AutobahnCase => ({
  id,
  bytes: listed(bytes),
  replies: () => replies,
  end: { closed: code },
})

export const ping = (payload: string | Uint8Array = ''): Uint8Array =>
  frame(9, typeof payload === 'string' ? utf8(payload) : payload)
export const pong = (payload: string | Uint8Array = ''): Reply => [
  10,
  typeof payload === 'string' ? utf8(payload) : payload,
]
export const echo = (payload: string | Uint8Array): Reply => [1, typeof payload === 'string' ? utf8(payload) : payload]
export const serverClose = close(1000)
