import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import type { Follower } from './boundaries.js'
import { followFrames, followLines } from './boundaries.js'

/** How long a reader may take nothing while something waits for it. */
const STALLED_MS = 5_000
const CHECK_MS = 1_000
/** How long a page may take to answer a goodbye. */
const GOODBYE_MS = 1_000
/** How long the sidecar may take to notice that a page has left. */
const ENDING_MS = 500
/** More than a game has pages, fewer than a sidecar could bear. */
const MOST = 2_048

/** A watch that is being passed on, from `source` to `sink` by `source.pipe(sink)`. */
interface Watch {
  readonly source: Readable
  readonly sink: Writable
  readonly socket: Socket
  readonly follower: Follower
  /** Tells the follower of what passes. */
  readonly observe: (bytes: Buffer) => void
  /** Tells the reader, at a moment between two units, and ends the connection. */
  sayGoodbye(): void
}

interface Progress {
  taken: number
  since: number
}

/** The watches that are open. */
export class Watches {
  readonly #open = new Map<Watch, Progress>()
  readonly #onStalled: () => void
  #checks: ReturnType<typeof setInterval> | undefined
  #reason: string | undefined
  #places = MOST

  /** @param onStalled called when a reader that had stopped reading was cut */
  constructor(onStalled: () => void) {
    this.#onStalled = onStalled
  }

  /**
   * Takes a place for a watch that is about to be opened, until its answer or its connection has ended. Gives
   * false where none is free.
   */
  reserve(answer: Writable, socket: Socket): boolean {
    if (this.#places === 0) return false
    this.#places -= 1
    const free = (): void => {
      answer.removeListener('close', free)
      socket.removeListener('close', free)
      this.#places += 1
    }
    answer.once('close', free)
    // One and the same for a WebSocket.
    if (socket !== answer) socket.once('close', free)
    return true
  }

  /** Takes in a watch over HTTP whose head was sent. */
  addStream(source: Readable, reply: ServerResponse): void {
    const sayGoodbye = (): void => void reply.end(lastLine(this.#reason ?? ''))
    this.#add(source, reply, reply.socket!, followLines(), sayGoodbye)
  }

  /** Takes in a watch over WebSocket, both ends of which are piped into each other. */
  addSocket(source: Socket, socket: Socket): void {
    // What the page sends goes the other way and is nothing to say: pings, or its own goodbye.
    const follower = followFrames()
    const sayGoodbye = (): void => {
      socket.unpipe(source)
      source.destroy()
      if (!follower.ended) socket.write(closeFrame(this.#reason ?? ''))
      // The page's own close frame is awaited: a connection that ends with it unread is reset, ours with it.
      setTimeout(() => socket.destroy(), GOODBYE_MS).unref()
      socket.once('data', () => socket.end())
      socket.once('end', () => socket.end())
      socket.resume()
    }
    // Each end is passed on by the pipes. Whoever doesn't answer it with its own isn't waited for.
    socket.once('end', () => setTimeout(() => source.destroy(), ENDING_MS).unref())
    source.once('close', () => setTimeout(() => socket.destroy(), STALLED_MS).unref())
    this.#add(source, socket, socket, follower, sayGoodbye)
  }

  /** Tells every reader, those that come later too, and ends their watches. */
  stop(reason: string): void {
    // A close frame has room for 123 bytes of it.
    this.#reason = /^[ -~]{0,100}$/.test(reason) ? reason : ''
    for (const watch of this.#open.keys()) end(watch)
  }

  #add(source: Readable, sink: Writable, socket: Socket, follower: Follower, sayGoodbye: () => void): void {
    const observe = (bytes: Buffer): void => follower.pass(bytes)
    const watch: Watch = { source, sink, socket, follower, observe, sayGoodbye }
    source.on('data', observe)
    this.#open.set(watch, { taken: takenBy(socket), since: performance.now() })
    this.#checks ??= setInterval(() => this.#check(), CHECK_MS).unref()
    sink.once('close', () => {
      this.#open.delete(watch)
      source.destroy()
      if (this.#open.size > 0) return
      clearInterval(this.#checks)
      this.#checks = undefined
    })
    if (this.#reason !== undefined) end(watch)
  }

  /**
   * Cuts readers that have stopped reading: each of them would keep a real sidecar from sending to all
   * others. What is written at once is 64 KiB at most, so one that takes less than 13 KB a second counts as
   * such.
   */
  #check(): void {
    const now = performance.now()
    for (const [{ socket }, progress] of this.#open) {
      const taken = takenBy(socket)
      if (socket.writableLength === 0 || taken !== progress.taken) {
        progress.taken = taken
        progress.since = now
      } else if (now - progress.since >= STALLED_MS) {
        socket.destroy()
        this.#onStalled()
      }
    }
  }
}

/** Bytes that the system has taken over for a reader. */
const takenBy = (socket: Socket): number => socket.bytesWritten - socket.writableLength

/** Lets the unit that has begun pass, and no more. */
function end({ source, sink, follower, observe, sayGoodbye }: Watch): void {
  source.unpipe(sink)
  source.removeListener('data', observe)
  if (follower.between) return sayGoodbye()
  const gone = (): void => void sink.destroy()
  const pass = (bytes: Buffer): void => {
    const rest = follower.rest(bytes)
    sink.write(rest === undefined ? bytes : bytes.subarray(0, rest))
    if (rest === undefined) return
    source.removeListener('close', gone)
    source.removeListener('data', pass)
    source.pause()
    sayGoodbye()
  }
  source.on('data', pass)
  source.once('close', gone)
  source.resume()
}

const stopping = (reason: string): string =>
  reason === '' ? 'The gateway is stopping' : `The gateway is stopping (${reason})`

/** The last line of a stream, in the shape in which the sidecar tells of an error in a watch. */
const lastLine = (reason: string): string =>
  `${JSON.stringify({ error: { code: 14, message: stopping(reason), details: [] } })}\n`

const GOING_AWAY = 1001

function closeFrame(reason: string): Buffer {
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason))
  payload.writeUInt16BE(GOING_AWAY)
  payload.write(reason, 2)
  return Buffer.concat([Buffer.from([0x88, payload.byteLength]), payload])
}
