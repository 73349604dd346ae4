import type { ClientRequest, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { createReply, type Refusal } from '../../http/refusal.js'
import { acceptWebSocket, endAbruptly } from '../../sidecar/websocket-server.js'
import { followAttempt, type Attempt } from './attempt.js'
import type { Exchange } from './sidecar-route.js'

/** Once this many bytes wait for a reader, the sidecar is no longer read. */
const MOST_WAITING = 64 * 1024
/** Milliseconds that a page has to read the rest after the sidecar has ended. */
const TAKING_MS = 5_000
/** Milliseconds that the sidecar has to end its side after a page has left. */
const ENDING_MS = 500

/** The close codes of `ws` for no close frame, and for a close frame without a code. */
const [ABNORMAL, NO_STATUS] = [1006, 1005]

interface RelayOptions {
  readonly sidecar: URL
  readonly timeout: number
  /** Headers of a plain answer. */
  readonly plainHeaders: object
  onOpen(upstream: WebSocket, page: WebSocket): void
}

/**
 * Relays a watch over WebSocket, and resolves when the page's connection has ended. The page is accepted once the sidecar
 * has accepted the gateway, so that the page gets a refusal of the sidecar's as its answer. Messages and close codes then
 * pass from the sidecar to the page. A page's messages are dropped: a watch takes none.
 */
export async function relayWatch(exchange: Exchange, socket: Socket, options: RelayOptions): Promise<void> {
  const { sidecar, timeout, plainHeaders, onOpen } = options
  const { message, path, headers, refuse, note } = exchange
  const { WebSocket } = await import('ws')
  if (socket.destroyed) return
  const gone = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  let reply: ServerResponse | undefined
  let isOpen = false
  const onFailure = (refusal: Refusal): void => {
    // A plain answer that broke off must not look whole.
    if (reply?.headersSent === true) socket.destroy()
    else if (!isOpen) return refuse(refusal)
    note(refusal)
  }
  let attempt!: Attempt
  const finishRequest = (request: ClientRequest): void => {
    attempt = followAttempt(request, { place: sidecar.host, acts: false, timeout, onFailure })
    request.end()
  }
  const base = sidecar.href.replace(/^http/, 'ws').replace(/\/$/, '')
  const upstream = new WebSocket(base + path, { headers, perMessageDeflate: false, finishRequest })
  // Node notices the end of a socket only while the socket is read.
  const leave = (): void => void socket.destroy()
  socket.resume().once('end', leave)
  socket.once('close', () => {
    if (upstream.readyState !== WebSocket.OPEN) attempt.end()
  })
  upstream.on('error', (error) => attempt.fail(error))
  upstream.once('unexpected-response', (_request, response) => {
    reply = createReply(message, socket)
    attempt.passBack(response, reply, plainHeaders, false)
  })
  upstream.once('open', () => {
    isOpen = true
    attempt.becameStream()
    upstream.pause()
    socket.off('end', leave)
    void acceptWebSocket({ message, socket, head: Buffer.alloc(0) }).then((page) => {
      if (page === undefined) return upstream.terminate()
      relay(upstream, page, socket)
      onOpen(upstream, page)
    })
  })
  await gone
}

function relay(upstream: WebSocket, page: WebSocket, socket: Socket): void {
  upstream.on('message', (data, binary) => {
    page.send(data as Buffer, { binary }, () => upstream.resume())
    if (socket.writableLength > MOST_WAITING) upstream.pause()
  })
  const endPage = (code: number, reason?: Buffer): void => {
    if (page.readyState !== page.OPEN) return
    if (code === ABNORMAL) return endAbruptly(page, socket)
    page.close(code === NO_STATUS ? undefined : code, reason)
    setTimeout(() => page.terminate(), TAKING_MS).unref()
  }
  upstream.once('close', endPage)
  page.once('close', (code, reason) => {
    if (code === ABNORMAL || code === NO_STATUS) upstream.close()
    else upstream.close(code, reason)
    setTimeout(() => upstream.terminate(), ENDING_MS).unref()
  })
  if (upstream.readyState === upstream.CLOSED) endPage(ABNORMAL)
  upstream.resume()
}
