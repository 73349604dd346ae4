/** An event for the shapes below; a page's own `Event` is one. */
export interface HostPageEvent {
  readonly type: string
}

/** The platform is ending the game server. The page may finish its work until `deadline`. */
export interface HostShutdownEvent extends HostPageEvent {
  /** The signal's name, such as `SIGTERM`. */
  readonly signal: string
  /** Latest end of the page, in ms since the Unix epoch. */
  readonly deadline: number
  /** Delays the end until `promise` has settled, but at most until `deadline`. A rejection is reported. */
  waitUntil(promise: Promise<unknown>): void
}

/** A message of a player. */
export interface PlayerMessageEvent extends HostPageEvent {
  /** A string, or bytes in the form that `binaryType` names. Untyped, like the data of a WebSocket's message. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly data: any
}

/** A player has left, or the connection was closed. */
export interface PlayerCloseEvent extends HostPageEvent {
  readonly code: number
  readonly reason: string
  readonly wasClean: boolean
}

interface PlayerSocketEvents {
  message: PlayerMessageEvent
  close: PlayerCloseEvent
  error: HostPageEvent
}

/** A player's connection in the hosted page. It has the shape of a WebSocket that is open. */
export interface PlayerSocket {
  /** Number of the connection, unique within this server. */
  readonly id: number
  /** Path and query that the player requested, such as `/?name=Ada`. */
  readonly url: string
  readonly remoteAddress: string
  readonly readyState: number
  /** Bytes that wait to be sent to the player. A server may skip updates for a player with many unsent bytes. */
  readonly bufferedAmount: number
  /** The form of binary messages. Unlike that of a WebSocket, it is `arraybuffer` at first. */
  binaryType: 'arraybuffer' | 'blob'
  onmessage: ((event: PlayerMessageEvent) => unknown) | null
  onclose: ((event: PlayerCloseEvent) => unknown) | null
  onerror: ((event: HostPageEvent) => unknown) | null
  /** Sends a message. After the player has left, `send()` only adds to `bufferedAmount`. */
  send(data: string | ArrayBuffer | ArrayBufferView): void
  /**
   * Sends a message that may be lost or come out of order, but never twice, and that never delays other messages. Uses
   * the player's data channel, or the WebSocket if there is none. Drops the message while over 64 KiB wait to be sent.
   */
  sendUnreliable(data: string | ArrayBuffer | ArrayBufferView): void
  /**
   * Ends the connection.
   *
   * @param code 1000, or from 3000 to 4999
   * @throws DOMException for another code, or a reason of more than 123 bytes
   */
  close(code?: number, reason?: string): void
  addEventListener<Type extends keyof PlayerSocketEvents>(
    type: Type,
    listener: (event: PlayerSocketEvents[Type]) => void,
  ): void
  removeEventListener<Type extends keyof PlayerSocketEvents>(
    type: Type,
    listener: (event: PlayerSocketEvents[Type]) => void,
  ): void
}

/** The global `gameServerHost` of a page that `gameserver-sidecar host` runs. Other pages don't have it. */
export interface GameServerHost {
  /** Called for each player who connects. Players who connected before it was set are kept for it. */
  onconnection: ((socket: PlayerSocket) => void) | null
  /** The players' sockets by their `id`. */
  readonly connections: ReadonlyMap<number, PlayerSocket>
  /**
   * Call after each step of the game. Optional; after the first call, a page without another call for `--hang-timeout`
   * counts as hanging.
   */
  tick(): void
  addEventListener(type: 'shutdown', listener: (event: HostShutdownEvent) => void): void
  removeEventListener(type: 'shutdown', listener: (event: HostShutdownEvent) => void): void
}
