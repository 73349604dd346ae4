import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { acceptWebSocket, endAbruptly } from '../../sidecar/websocket-server.js'

/** Milliseconds for which a reader may take nothing while bytes wait for it. */
const STALLED_MS = 5_000
const CHECK_MS = 1_000
/** Milliseconds that a page has to answer a close frame. */
const GOODBYE_MS = 1_000
const GOING_AWAY = 1001
const NEWLINE = 0x0a

/** The part of a WebSocket of `ws` that is used. Users of this package need not have the types of `ws`. */
interface Connection {
  close(code: number, reason?: string): void
  terminate(): void
}

interface Watch {
  readonly socket: Socket
  /** Tells the reader of the end, and ends the connection. */
  end(): void
  /** The bytes that the reader has taken, and when it took the last of these bytes. */
  taken: number
  since: number
}

export class Watches {
  readonly #open = new Set<Watch>()
  readonly #onStalled: () => void
  #checks: ReturnType<typeof setInterval> | undefined
  #reason: string | undefined
  /** Watches that were lost and not opened again yet. */
  #lost = 0
  /** Watches that took the place of a lost one. */
  reconnects = 0

  /** @param onStalled called after the connection of a reader that had stopped reading was cut */
  constructor(onStalled: () => void) {
    this.#onStalled = onStalled
  }

  get connections(): number {
    return this.#open.size
  }

  /** Adds a watch over HTTP, which is piped. At the end, a half received line is passed on before the last line. */
  addStream(source: Readable, reply: ServerResponse): void {
    let isBetweenLines = true
    const observe = (bytes: Buffer): void => void (isBetweenLines = bytes.at(-1) === NEWLINE)
    const breakOff = (): void => void reply.destroy()
    const sayGoodbye = (): void => void reply.end(lastLine(this.#reason ?? ''))
    const passRest = (bytes: Buffer): void => {
      const end = bytes.indexOf(NEWLINE) + 1
      reply.write(end === 0 ? bytes : bytes.subarray(0, end))
      if (end === 0) return
      source.removeListener('close', breakOff).removeListener('data', passRest).pause()
      sayGoodbye()
    }
    source.on('data', observe)
    reply.once('close', () => source.destroy())
    this.#add(reply.socket!, reply, () => {
      source.unpipe(reply).removeListener('data', observe)
      if (isBetweenLines) return sayGoodbye()
      source.on('data', passRest).once('close', breakOff).resume()
    })
  }

  addSocket(upstream: Connection, page: Connection, socket: Socket): void {
    this.#add(socket, socket, () => {
      page.close(GOING_AWAY, this.#reason)
      upstream.terminate()
      setTimeout(() => page.terminate(), GOODBYE_MS).unref()
    })
  }

  /** After a `stop()`, lets later watches stay open again. */
  startAgain(): void {
    this.#reason = undefined
  }

  /** Tells every reader the reason and ends every watch, later ones too. Returns how many watches were open. */
  stop(reason: string): number {
    const { size } = this.#open
    // A close frame has room for a reason of 123 bytes.
    this.#reason = /^[ -~]{0,100}$/.test(reason) ? reason : ''
    for (const watch of this.#open) watch.end()
    return size
  }

  #add(socket: Socket, sink: Writable, end: () => void): void {
    const watch: Watch = { socket, end, taken: takenBy(socket), since: performance.now() }
    this.#open.add(watch)
    if (this.#lost > 0) {
      this.#lost -= 1
      this.reconnects += 1
    }
    this.#checks ??= setInterval(() => this.#check(), CHECK_MS).unref()
    sink.once('close', () => {
      this.#open.delete(watch)
      this.#lost += 1
      if (this.#open.size > 0) return
      clearInterval(this.#checks)
      this.#checks = undefined
    })
    if (this.#reason !== undefined) watch.end()
  }

  /**
   * Cuts readers that have stopped reading: one such reader keeps a real sidecar from sending to all others. A write hands
   * over at most 64 KiB, so a reader that takes less than 13 KB a second counts as stopped.
   */
  #check(): void {
    const now = performance.now()
    for (const watch of this.#open) {
      const taken = takenBy(watch.socket)
      if (watch.socket.writableLength === 0 || taken !== watch.taken) {
        watch.taken = taken
        watch.since = now
      } else if (now - watch.since >= STALLED_MS) {
        watch.socket.destroy()
        this.#onStalled()
      }
    }
  }
}

/** Bytes that the system has taken for a reader. */
const takenBy = (socket: Socket): number => socket.bytesWritten - socket.writableLength

/** The last line of a stream, in the shape of the sidecar's own errors within a watch. */
function lastLine(reason: string): string {
  const message = reason === '' ? 'The gateway is stopping' : `The gateway is stopping (${reason})`
  return `${JSON.stringify({ error: { code: 14, message, details: [] } })}\n`
}

/** Once this many bytes wait for a reader, the sidecar is no longer read. */
const MOST_WAITING = 64 * 1024

/** A watch over WebSocket that is to be opened at the sidecar. */
interface Relay {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds until the sidecar must have accepted, and those of them until there must be a connection. */
  readonly timeout: number
  readonly connectMs: number
  readonly message: IncomingMessage
  readonly socket: Socket
  /** Answers that the sidecar can't be reached, with the reason. */
  fail(why: string): void
  onOpen(upstream: Connection, page: Connection): void
}

/**
 * Relays a watch over WebSocket, and resolves when the page's connection has ended. The page is accepted once the sidecar
 * has accepted the gateway. Messages then pass from the sidecar to the page. A page's messages are dropped: a watch takes
 * none. The end of one side ends the other without a close frame, as a sidecar ends a watch.
 */
export async function relayWatch(relay: Relay): Promise<void> {
  const { url, headers, timeout, connectMs, message, socket, fail, onOpen } = relay
  const { WebSocket } = await import('ws')
  if (socket.destroyed) return
  const gone = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  const upstream = new WebSocket(url, {
    ...{ headers, perMessageDeflate: false, handshakeTimeout: timeout },
    finishRequest(request) {
      const late = Object.assign(new Error('The connection took too long'), { code: 'ETIMEDOUT' })
      const timer = setTimeout(() => request.destroy(late), connectMs)
      const settle = (): void => clearTimeout(timer)
      request.once('close', settle).once('socket', (connecting) => void connecting.once('connect', settle))
      request.end()
    },
  })
  let isOpen = false
  // Node notices the end of a socket only while the socket is read.
  const leave = (): void => void socket.destroy()
  socket.resume().once('end', leave)
  socket.once('close', () => upstream.terminate())
  upstream.on('error', (error: NodeJS.ErrnoException) => {
    if (!isOpen && !socket.destroyed) fail(error.code ?? error.message)
  })
  upstream.once('open', () => {
    isOpen = true
    upstream.pause()
    socket.off('end', leave)
    void acceptWebSocket({ message, socket, head: Buffer.alloc(0) }).then((page) => {
      if (page === undefined) return upstream.terminate()
      upstream.on('message', (data, binary) => {
        page.send(data as Buffer, { binary }, () => upstream.resume())
        if (socket.writableLength > MOST_WAITING) upstream.pause()
      })
      const endPage = (): void => void (page.readyState === page.OPEN && endAbruptly(page, socket))
      upstream.once('close', endPage)
      if (upstream.readyState === upstream.CLOSED) endPage()
      upstream.resume()
      onOpen(upstream, page)
    })
  })
  await gone
}
