/** An event for the shapes below; a page's own `Event` is one. */
export interface HostPageEvent {
  readonly type: string
}

/** The platform ends the game server. The page may finish its work until `deadline`. */
export interface HostShutdownEvent extends HostPageEvent {
  /** The signal's name, such as `SIGTERM`. */
  readonly signal: string
  /** When the page is ended at the latest, in ms since the Unix epoch. */
  readonly deadline: number
  /** Makes the end wait for `promise`, but no longer than until `deadline`. A rejection is reported, and waited for no more. */
  waitUntil(promise: Promise<unknown>): void
}

/** A message of a player. */
export interface PlayerMessageEvent extends HostPageEvent {
  /** A string, or bytes in the form that `binaryType` names: as untyped as the data of a WebSocket's message. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly data: any
}

/** A player has left, or was made to. */
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
  /** Number of the connection, which no other of this server gets. */
  readonly id: number
  /** Path and query that the player asked for, such as `/?name=Ada`. */
  readonly url: string
  readonly remoteAddress: string
  readonly readyState: number
  /** Bytes that were sent here and wait to leave for the player. A server may skip updates for players with many. */
  readonly bufferedAmount: number
  /** What binary messages come as. Unlike that of a WebSocket it begins as `arraybuffer`. */
  binaryType: 'arraybuffer' | 'blob'
  onmessage: ((event: PlayerMessageEvent) => unknown) | null
  onclose: ((event: PlayerCloseEvent) => unknown) | null
  onerror: ((event: HostPageEvent) => unknown) | null
  /** Sends a message. To a player who has left it does nothing but add to `bufferedAmount`. */
  send(data: string | ArrayBuffer | ArrayBufferView): void
  /**
   * Sends a message that may be lost or come out of order, but never twice, and that no other message waits for: over the
   * player's data channel, or over the WebSocket if there is none. It is dropped behind 64 KiB that wait to be sent.
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
  /** Takes each player who comes. Those who came before it was set are kept for it. */
  onconnection: ((socket: PlayerSocket) => void) | null
  /** The players' sockets by their `id`. */
  readonly connections: ReadonlyMap<number, PlayerSocket>
  /**
   * One step of the game was made. Optional; once it has been called, it must go on being called, or the page counts as
   * hanging after `--hang-timeout`.
   */
  tick(): void
  addEventListener(type: 'shutdown', listener: (event: HostShutdownEvent) => void): void
  removeEventListener(type: 'shutdown', listener: (event: HostShutdownEvent) => void): void
}
