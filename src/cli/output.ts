import { constants, fstatSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { WriteStream } from 'node:tty'
import { plainText } from '../local/files.js'
import { escapeJson } from '../protocol/plain-text.js'

/** Most bytes that wait for a reader: a log collector that is stuck, or a terminal after Ctrl-S. */
const MOST_WAITING = 1024 * 1024
/** At its end, the process stops waiting for a reader that takes nothing for this long. */
const PATIENCE_MS = 1_000

type Standard = NodeJS.WriteStream & { readonly fd: number }

/** Lines to a reader. While too much waits for it, lines are dropped and counted. */
export class Output {
  readonly stream: Socket
  readonly #mayUnblock: boolean
  #dropped = 0
  #isJson = false

  constructor(stream: Standard) {
    this.stream = reopened(stream)
    // A child that shares a terminal isn't made for writes that don't block.
    this.#mayUnblock = process.platform === 'linux' && (this.stream !== stream || !stream.isTTY)
    this.stream.on('drain', () => this.#tellDropped())
  }

  readonly write = (line: string): void => {
    if (this.#dropped === 0 && this.stream.writableLength <= MOST_WAITING) {
      if (this.#mayUnblock) unblock(this.stream)
      return void this.stream.write(`${visible(line)}\n`)
    }
    this.#dropped += 1
    this.#isJson = line.startsWith('{')
  }

  #tellDropped(): void {
    const lines = this.#dropped
    if (lines === 0) return
    this.#dropped = 0
    const text = `… ${lines} line${lines === 1 ? ' was' : 's were'} dropped: nobody read this output`
    this.write(this.#isJson ? jsonEvent('dropped', { lines }) : text)
  }
}

/**
 * The same terminal or pipe, opened again: that writing doesn't block here must not concern a child that inherits it. A
 * write that blocks stops this process, signals included, while nobody reads.
 */
function reopened(stream: Standard): Socket {
  try {
    const stats = fstatSync(stream.fd)
    if (process.platform !== 'linux' || !(stats.isFIFO() || stream.isTTY)) return stream
    const fd = openSync(`/proc/self/fd/${stream.fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
    return stream.isTTY ? new WriteStream(fd) : new Socket({ fd, readable: false, writable: true })
  } catch {
    // Another user's, for example.
    return stream
  }
}

/** Each child that inherits a stream makes it block again, and so does Node itself for a terminal. */
function unblock(stream: Socket): void {
  const { _handle } = stream as { readonly _handle?: { setBlocking?(isBlocking: boolean): void } }
  _handle?.setBlocking?.(false)
}

/** Lets only text, line ends and colours through to the terminal. */
function visible(text: string): string {
  return text
    .split(/(\u001b\[\d+m|\n)/)
    .map((part, i) => (i % 2 === 1 ? part : plainText(part, Infinity)))
    .join('')
}

/**
 * Exits once all output is flushed: process.exit() drops what a pipe hasn't taken yet.
 *
 * @param waitsForReader whether a reader that pauses, such as a pager, gets the rest
 */
export function exitAfterOutput(code: number, [out, err]: readonly [Output, Output], waitsForReader: boolean): void {
  const exit = (): never => process.exit(code)
  // A stream emits errors after the callbacks of its writes.
  out.stream.write('', () => err.stream.write('', () => setImmediate(exit)))
  if (waitsForReader) return
  let before = Infinity
  setInterval(() => {
    const waiting = out.stream.writableLength + err.stream.writableLength
    if (waiting >= before) exit()
    before = waiting
  }, PATIENCE_MS)
}

/** A value as JSON. Invisible characters get JSON's escapes, since those of plainText() are no JSON. */
export const jsonText = (value: unknown): string => escapeJson(JSON.stringify(value))

export const jsonEvent = (event: string, details: object = {}): string =>
  jsonText({ time: new Date().toISOString(), event, ...details })
