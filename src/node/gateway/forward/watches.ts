import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { followFrames, followLines } from './boundaries.js'
import type { Follower } from './boundaries.js'

/** Time for which a reader may take nothing while something waits for it. */
const STALLED_MS = 5_000
const CHECK_MS = 1_000
/** Time that a page has to answer a goodbye. */
const GOODBYE_MS = 1_000
/** Time that the sidecar has to end its side after a page has left. */
const ENDING_MS = 500

/** A watch that is being passed on, from `source` to `sink` by `source.pipe(sink)`. */
interface Watch {
  readonly source: Readable
  readonly sink: Writable
  /** The reader's connection; of a WebSocket also the sink. */
  readonly socket: Socket
  readonly follower: Follower
  /** Shows the follower the bytes that pass. */
  readonly observe: (bytes: Buffer) => void
  /** Tells the reader, between two units, that this is the end, and ends the connection. */
  sayGoodbye(): void
}

/** The bytes that a reader has taken, and the time when it took the last of them. */
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

  /** @param onStalled called after a reader was cut that had stopped reading */
  constructor(onStalled: () => void) {
    this.#onStalled = onStalled
  }

  /** Takes in a watch over HTTP that is being piped. */
  addStream(source: Readable, reply: ServerResponse): void {
    const sayGoodbye = (): void => void reply.end(lastLine(this.#reason ?? ''))
    this.#add(source, reply, reply.socket!, followLines(), sayGoodbye)
  }

  /** Takes in a watch over WebSocket, whose two ends are piped into each other. */
  addSocket(source: Socket, socket: Socket): void {
    // Only the sidecar's frames are followed. The page sends pings, or its own goodbye, which go the other way.
    const follower = followFrames()
    const sayGoodbye = (): void => {
      socket.unpipe(source)
      source.destroy()
      if (!follower.ended) socket.write(closeFrame(this.#reason ?? ''))
      // The page answers with a close frame. If the connection ended before that was read, the system would reset it,
      // and the page could lose our frame.
      setTimeout(() => socket.destroy(), GOODBYE_MS).unref()
      socket.once('data', () => socket.end())
      socket.once('end', () => socket.end())
      socket.resume()
    }
    // The pipes pass on the end of each side. A side that doesn't answer with its own end isn't waited for.
    socket.once('end', () => setTimeout(() => source.destroy(), ENDING_MS).unref())
    source.once('close', () => setTimeout(() => socket.destroy(), STALLED_MS).unref())
    this.#add(source, socket, socket, follower, sayGoodbye)
  }

  /** Lets watches stay again that are added after a `stop()`. */
  startAgain(): void {
    this.#reason = undefined
  }

  /** Tells every reader the reason and ends its watch; those that are added later too. Returns how many there were. */
  stop(reason: string): number {
    const { size } = this.#open
    // A close frame has room for 123 bytes of it.
    this.#reason = /^[ -~]{0,100}$/.test(reason) ? reason : ''
    for (const watch of this.#open.keys()) end(watch)
    return size
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
   * Cuts readers that have stopped reading: each would keep a real sidecar from sending to all others. A write hands
   * over 64 KiB at most, so a reader that takes less than 13 KB a second counts as stopped.
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

/** Lets the rest of the unit that has begun pass, then says goodbye. */
function end({ source, sink, follower, observe, sayGoodbye }: Watch): void {
  source.unpipe(sink)
  source.removeListener('data', observe)
  if (follower.between) return sayGoodbye()
  const breakOff = (): void => void sink.destroy()
  const passRest = (bytes: Buffer): void => {
    const rest = follower.rest(bytes)
    sink.write(rest === undefined ? bytes : bytes.subarray(0, rest))
    if (rest === undefined) return
    source.removeListener('close', breakOff)
    source.removeListener('data', passRest)
    source.pause()
    sayGoodbye()
  }
  source.on('data', passRest)
  source.once('close', breakOff)
  source.resume()
}

const stopping = (reason: string): string =>
  reason === '' ? 'The gateway is stopping' : `The gateway is stopping (${reason})`

/** The last line of a stream, in the shape of the sidecar's own errors within a watch. */
const lastLine = (reason: string): string =>
  `${JSON.stringify({ error: { code: 14, message: stopping(reason), details: [] } })}\n`

const GOING_AWAY = 1001

function closeFrame(reason: string): Buffer {
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason))
  payload.writeUInt16BE(GOING_AWAY)
  payload.write(reason, 2)
  return Buffer.concat([Buffer.from([0x88, payload.byteLength]), payload])
}
