import type { Socket } from 'node:net'
import type { GameServer } from '../../src/protocol/game-server.js'
import { acceptKey, chunk, encodeAnswer, head, lastChunk } from './fault-server-bytes.js'
import type { Answer, ScriptedRequest } from './fault-server-bytes.js'
import { close, text } from './frames.js'

/** How a connection breaks: RST, or FIN without an end in the protocol above. */
export type Ending = 'reset' | 'finish'

export type ScriptedConnection = ReturnType<typeof createConnection>

/** One accepted TCP connection, with control over every byte that it sends. `nth`: 1 for the sidecar's first */
export function createConnection(socket: Socket, nth: number, onGone: () => void) {
  let slow = false
  let cut: { left: number; ending: Ending } | undefined
  let isGone = false
  let resolveGone = (): void => {}
  /** Resolves when the other side has ended or reset, or this side has destroyed the socket. */
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

  const connection = {
    socket,
    nth,
    gone,
    get isGone() {
      return isGone
    },
    /** Resolves when the bytes have left this process. After the end, resolves at once without effect. */
    async write(data: string | Uint8Array): Promise<void> {
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
    /** From now on every byte goes out in a segment of its own. */
    slowDown() {
      slow = true
    },
    /** Ends the connection in that way when exactly that many more bytes were written. */
    cutAfter(left: number, ending: Ending) {
      cut = { left, ending }
    },
    /** Sends RST: the other side loses the data that it has not read. */
    reset() {
      if (!socket.destroyed) socket.resetAndDestroy()
    },
    /** Sends FIN: written data still arrives. */
    finish() {
      socket.end()
    },
    /** Stops reading, so that the other side's writes and its FIN go unnoticed, until `listen`. */
    deafen() {
      socket.pause()
    },
    listen() {
      socket.resume()
    },
    /** Called with the bytes that come in. */
    onBytes(_bytes: Buffer) {},
  }
  return connection
}

export type Exchange = ReturnType<typeof createExchange>

export interface ExchangeHost {
  readonly gameServer: GameServer
  subscribe(send: (gameServer: GameServer) => void): () => void
}

/** One request and everything a script can do about it. `nth`: 1 for the first request that its rule matched */
export function createExchange(
  host: ExchangeHost,
  connection: ScriptedConnection,
  request: ScriptedRequest,
  nth: number,
) {
  const { write } = connection
  const encode = (message: string): Uint8Array =>
    request.isUpgrade ? text(message) : chunk(Buffer.from(`${message}\n`))
  const exchange = {
    request,
    connection,
    nth,
    /** The GameServer that a correct sidecar would send now. */
    get gameServer() {
      return host.gameServer
    },
    write,
    /** A whole answer to a call, and FIN, unless its headers say `connection: keep-alive`. */
    async reply(answer: Answer = {}): Promise<void> {
      await write(encodeAnswer(answer))
      if (answer.headers?.['connection'] !== 'keep-alive') connection.finish()
    },
    /** The head that starts a watch: 101 with the right accept key, or 200 with a chunked body. */
    open: (headers?: Answer['headers']): Promise<void> =>
      request.isUpgrade
        ? write(head(101, { ...upgradeHeaders(request), ...headers }))
        : write(head(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked', ...headers })),
    /** `{"result": gameServer}` as a line, or as a message of one frame. */
    send: (gameServer: GameServer): Promise<void> => write(encode(JSON.stringify({ result: gameServer }))),
    /** Any text as a line (the line feed is added), or as a message of one frame. */
    sendText: (message: string): Promise<void> => write(encode(message)),
    /** Bytes inside the transport's outermost frame: a chunk for the stream, as they are for a WebSocket. */
    sendBytes: (bytes: string | Uint8Array): Promise<void> =>
      write(request.isUpgrade ? bytes : chunk(Buffer.from(bytes))),
    /** A regular end: the last chunk or a close frame, then FIN. */
    async end(code?: number): Promise<void> {
      await write(request.isUpgrade ? close(code) : lastChunk)
      connection.finish()
    },
    /** A correct watch: the last published object and all later ones, until one side ends it. */
    async follow(): Promise<void> {
      // One write after the other, as a slowed connection would otherwise mix the bytes of two objects.
      let queue = exchange.send(host.gameServer)
      const unsubscribe = host.subscribe((gameServer) => {
        queue = queue.then(() => exchange.send(gameServer))
      })
      await connection.gone
      unsubscribe()
    },
    /** RST or FIN. */
    break: (ending: Ending): void => connection[ending](),
  }
  return exchange
}

function upgradeHeaders(request: ScriptedRequest): Record<string, string> {
  const key = request.headers['sec-websocket-key'] ?? ''
  return { upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-accept': acceptKey(key) }
}
