import type { Socket } from 'node:net'
import type { GameServer } from '../../src/protocol/game-server.js'
import { acceptKey, chunk, closeFrame, encodeAnswer, frame, head, lastChunk } from './fault-server-bytes.js'
import type { Answer, ScriptedRequest } from './fault-server-bytes.js'

/** How a connection breaks: RST, or FIN without an end in the protocol above. */
export type Ending = 'reset' | 'finish'

/** One accepted TCP connection, with control over every byte that it sends. */
export interface ScriptedConnection {
  readonly socket: Socket
  /** 1 for the first connection the sidecar accepted. */
  readonly nth: number
  /** Resolves when the other side has ended or reset, or this side has destroyed the socket. */
  readonly gone: Promise<void>
  readonly isGone: boolean
  /** Resolves when the bytes have left this process. After the end, resolves at once without effect. */
  write(bytes: string | Uint8Array): Promise<void>
  /** From now on every byte goes out in a segment of its own. */
  slowDown(): void
  /** Ends the connection in that way when exactly that many more bytes were written. */
  cutAfter(bytes: number, ending: Ending): void
  /** Sends RST: the other side loses the data that it has not read. */
  reset(): void
  /** Sends FIN: written data still arrives. */
  finish(): void
  /** Stops reading, so that the other side's writes and its FIN go unnoticed, until `listen`. */
  deafen(): void
  listen(): void
  /** Called with the bytes that come in. */
  onBytes: (bytes: Buffer) => void
}

export function createConnection(socket: Socket, nth: number, onGone: () => void): ScriptedConnection {
  let slow = false
  let cut: { left: number; ending: Ending } | undefined
  let isGone = false
  let resolveGone = (): void => {}
  const gone = new Promise<void>((resolve) => (resolveGone = resolve))

  const leave = (): void => {
    if (isGone) return
    isGone = true
    resolveGone()
    onGone()
  }
  socket.setNoDelay(true)
  // Each write waits for the end too, and a script may write any number at once.
  socket.setMaxListeners(0)
  socket.on('data', (bytes) => connection.onBytes(bytes))
  socket.on('error', leave)
  socket.on('close', leave)
  socket.on('end', () => {
    socket.end()
    leave()
  })

  const writePiece = (bytes: Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      // A later turn, so that a script that writes for ever still sees the end of the connection.
      if (socket.destroyed || !socket.writable) return void setImmediate(resolve)
      socket.once('close', resolve)
      socket.write(bytes, () => {
        socket.off('close', resolve)
        resolve()
      })
    })

  const connection: ScriptedConnection = {
    socket,
    nth,
    gone,
    get isGone() {
      return isGone
    },
    async write(data) {
      let bytes: Uint8Array = Buffer.from(data)
      const cutHere = cut
      if (cutHere !== undefined) {
        bytes = bytes.subarray(0, cutHere.left)
        cutHere.left -= bytes.length
      }
      if (slow) {
        for (const byte of bytes) {
          if (isGone) return
          await writePiece(Uint8Array.of(byte))
          await new Promise(setImmediate)
        }
      } else if (bytes.length > 0) {
        await writePiece(bytes)
      }
      if (cutHere?.left === 0) connection[cutHere.ending]()
    },
    slowDown() {
      slow = true
    },
    cutAfter(left, ending) {
      cut = { left, ending }
    },
    reset() {
      if (!socket.destroyed) socket.resetAndDestroy()
    },
    finish() {
      socket.end()
    },
    deafen() {
      socket.pause()
    },
    listen() {
      socket.resume()
    },
    onBytes() {},
  }
  return connection
}

/** One request and everything a script can do about it. */
export interface Exchange {
  readonly request: ScriptedRequest
  readonly connection: ScriptedConnection
  /** 1 for the first request that its rule matched. */
  readonly nth: number
  /** The GameServer that a correct sidecar would send now. */
  readonly gameServer: GameServer
  /** Which of the two watch transports this is; a plain call counts as `stream`. */
  readonly transport: 'websocket' | 'stream'

  /** A whole answer to a call, and FIN, unless its headers say `connection: keep-alive`. */
  reply(answer?: Answer): Promise<void>
  /** The head that starts a watch: 101 with the right accept key, or 200 with a chunked body. */
  open(headers?: Answer['headers']): Promise<void>
  /** `{"result": gameServer}` as a line, or as a message of one frame. */
  send(gameServer: GameServer): Promise<void>
  /** Any text as a line (the line feed is added), or as a message of one frame. */
  sendText(text: string): Promise<void>
  /** Bytes inside the transport's outermost frame: a chunk for the stream, as they are for a WebSocket. */
  sendBytes(bytes: string | Uint8Array): Promise<void>
  /** Raw bytes. */
  write(bytes: string | Uint8Array): Promise<void>
  /** A regular end: the last chunk or a close frame, then FIN. */
  end(code?: number): Promise<void>
  /** A correct watch: the last published object and all later ones, until one side ends it. */
  follow(): Promise<void>
  /** RST or FIN. */
  break(ending: Ending): void
}

export interface ExchangeHost {
  readonly gameServer: GameServer
  subscribe(send: (gameServer: GameServer) => void): () => void
}

export function createExchange(
  host: ExchangeHost,
  connection: ScriptedConnection,
  request: ScriptedRequest,
  nth: number,
): Exchange {
  const { write } = connection
  const encodeText = (text: string): Buffer => (request.isUpgrade ? frame(text) : chunk(Buffer.from(`${text}\n`)))
  const exchange: Exchange = {
    request,
    connection,
    nth,
    transport: request.isUpgrade ? 'websocket' : 'stream',
    get gameServer() {
      return host.gameServer
    },
    write,
    async reply(answer = {}) {
      await write(encodeAnswer(answer))
      if (answer.headers?.['connection'] !== 'keep-alive') connection.finish()
    },
    open: (headers) =>
      request.isUpgrade
        ? write(head(101, { ...upgradeHeaders(request), ...headers }))
        : write(head(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked', ...headers })),
    send: (gameServer) => write(encodeText(JSON.stringify({ result: gameServer }))),
    sendText: (text) => write(encodeText(text)),
    sendBytes: (bytes) => write(request.isUpgrade ? bytes : chunk(Buffer.from(bytes))),
    async end(code) {
      await write(request.isUpgrade ? closeFrame(code) : lastChunk)
      connection.finish()
    },
    async follow() {
      // One write after the other, as a slowed connection would otherwise mix the bytes of two objects.
      let queue = exchange.send(host.gameServer)
      const unsubscribe = host.subscribe((gameServer) => {
        queue = queue.then(() => exchange.send(gameServer))
      })
      await connection.gone
      unsubscribe()
    },
    break: (ending) => connection[ending](),
  }
  return exchange
}

function upgradeHeaders(request: ScriptedRequest): Record<string, string> {
  const key = request.headers['sec-websocket-key'] ?? ''
  return { upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-accept': acceptKey(key) }
}
