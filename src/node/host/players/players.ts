import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** A player's connection, over WebSocket or a data channel, as the relay sees it. */
export interface PlayerTransport {
  /** Path and query that the player asked for, such as `/?name=Ada`. */
  readonly url: string
  readonly remoteAddress: string
  /** Bytes that wait to be sent to the player. */
  readonly bufferedAmount: number
  send(data: string | Uint8Array): void
  close(code: number, reason: string): void
}

/** A player whom the relay has admitted, as the player's transport sees it. */
export interface Player {
  readonly id: number
  /** A message has come from the player. */
  receive(data: string | Uint8Array): void
  /** The player's connection has ended. */
  left(code: number, reason: string): void
}

/** The public listener and what passes between players and the page. */
export interface Players {
  /** The address for players, such as `ws://127.0.0.1:7777`. */
  readonly url: string
  readonly port: number
  /** Path, with a secret, at which the page opens its one socket. */
  readonly pagePath: string
  /** Makes an upgrade of the page at `pagePath` its socket. */
  acceptPage(message: IncomingMessage, socket: Socket, head: Buffer): void
  /** New players are refused from now on with 1001. */
  refuse(): void
  /** Ends all players' connections. */
  closeAll(code: number, reason: string): void
  /** Ends the listener, and resolves when all connections have ended. */
  close(): Promise<void>
}
