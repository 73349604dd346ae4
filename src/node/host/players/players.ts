import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** A player's connection, as the relay sees it. */
export interface PlayerTransport {
  /** Path and query that the player asked for, such as `/?name=Ada`. */
  readonly url: string
  readonly remoteAddress: string
  /** Bytes that wait to be sent to the player. */
  readonly bufferedAmount: number
  /** Bytes of memory that these take, which is more with many small messages. */
  readonly heldBytes: number
  /** Sends a message. Bytes are valid until it returns. */
  send(data: string | Uint8Array): void
  /** Sends a message that may be lost, over a faster way. Returns false if there is none. Bytes are valid until it returns. */
  sendUnreliable?(data: string | Uint8Array): boolean
  /** Ends the connection, with 1005 for no code. `left` of its player is called when it has ended. */
  close(code: number, reason: string): void
  /** Ends the connection at once, and forgets what is on its way. */
  cut(): void
  /** Reads nothing from the player until `resume()`, so that messages wait at the player's end. */
  pause(): void
  resume(): void
}

/** A player whom the relay has admitted, as the player's transport sees it. */
export interface Player {
  readonly id: number
  /** A message has come from the player. One that may be lost is, while the page reads so slowly that others wait. */
  receive(data: string | Uint8Array, isUnreliable?: boolean): void
  /** Ends the connection, for what the player has done. */
  end(code: number, reason: string): void
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

/** Why a player isn't admitted. */
export interface PlayerRefusal {
  /** Close code, such as 1013. */
  readonly code: number
  readonly reason: string
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
  /** Players are told that the game starts again, and nobody is let in before the page that is started next is there. */
  startAgain(): void
  /** Ends all players' connections. */
  closeAll(code: number, reason: string): void
  /** Ends the listener, and resolves when all connections have ended. */
  close(): Promise<void>
}
