import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** A player's connection, over WebSocket or a data channel, as the relay sees it. */
export interface PlayerTransport {
  /** Path and query that the player asked for, such as `/?name=Ada`. */
  readonly url: string
  readonly remoteAddress: string
  /** Bytes that wait to be sent to the player. */
  readonly bufferedAmount: number
  /** Sends a message. Bytes are valid until it returns. */
  send(data: string | Uint8Array): void
  /** Sends a message that may be lost, over a faster way. Returns false if there is none. Bytes are valid until it returns. */
  sendUnreliable?(data: string | Uint8Array): boolean
  /** Ends the connection, with 1005 for no code. `left` of its player is called when it has ended. */
  close(code: number, reason: string): void
  /** Reads nothing from the player until `resume()`, so that messages wait at the player's end. A data channel can't. */
  pause?(): void
  resume?(): void
}

/** A player whom the relay has admitted, as the player's transport sees it. */
export interface Player {
  readonly id: number
  /**
   * A message has come from the player. Returns false if the page doesn't get it: the player is being closed, or the page
   * reads so slowly that messages which may be lost, or can't wait elsewhere, are dropped.
   */
  receive(data: string | Uint8Array, isUnreliable?: boolean): boolean
  /** Something else has come, such as a ping. It counts towards the player's rate. */
  count(): void
  /** The player's connection has ended. */
  left(code: number, reason: string): void
}

/** A player has come or left. */
export interface PlayerChange {
  readonly id: number
  readonly state: 'open' | 'closed'
  readonly remoteAddress: string
  readonly code?: number
  /** Text of the player's own, if the player ended the connection. */
  readonly reason?: string
}

/** Why a player isn't admitted, as an upgrade and as a close code. */
export interface PlayerRefusal {
  /** Status of the answer to the request, such as 503. */
  readonly status: number
  /** Close code of a connection that is open already, such as 1013. */
  readonly code: number
  readonly reason: string
}

/** Admits players, whichever way they come. */
export interface PlayerGate {
  /** Why a player who came now would be refused, before anything is done for the connection; undefined: the player may come. */
  readonly refusal: PlayerRefusal | undefined
  /** Tells the page of a player whose connection is open. Limits of size, rate and buffered bytes hold for it from then on. */
  admit(transport: PlayerTransport): Player | PlayerRefusal
}

/** The public listener and what passes between players and the page. */
export interface Players {
  /** The address for players, such as `ws://127.0.0.1:7777`. */
  readonly url: string
  readonly port: number
  /** Path, with a secret, at which the page opens its one socket. */
  readonly pagePath: string
  /** Admits players who come another way than by WebSocket. */
  readonly gate: PlayerGate
  /** Makes an upgrade of the page at `pagePath` its socket. */
  acceptPage(message: IncomingMessage, socket: Socket, head: Buffer): void
  /** New players are refused from now on with 1001. */
  refuse(): void
  /** Ends all players' connections. */
  closeAll(code: number, reason: string): void
  /** Ends the listener, and resolves when all connections have ended. */
  close(): Promise<void>
}
