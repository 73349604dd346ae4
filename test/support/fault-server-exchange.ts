import type { GameServer } from '../../src/protocol/game-server.js'
import type { Ending, ScriptedConnection } from './fault-server-connection.js'
import { acceptKey, closeFrame, frame } from './fault-server-frames.js'
import { chunk, encodeAnswer, head, lastChunk, type Answer, type ScriptedRequest } from './fault-server-http.js'

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
