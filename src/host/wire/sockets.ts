/** The part of a WebSocket that is used, of the browser's class or of a given one. */
export interface WebSocketLike {
  binaryType: string
  readonly bufferedAmount: number
  readonly protocol: string
  readonly readyState: number
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
  send(data: never): void
  close(code?: number, reason?: string): void
}

/** Values of a WebSocket's `readyState`. */
export const STATES = { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 } as const

/** With more unsent bytes than this, an unreliable message would be stale when sent, so it is dropped. */
export const STALE_BYTES = 64 * 1024

/**
 * What a player's page and the host tell each other about a data channel, over the player's WebSocket.
 *
 * A page that wants a channel offers both subprotocols. A host with channels answers with `WITH_CHANNEL`. Any other
 * server picks the first of the two or none, and gets only the game's own messages.
 */
export const PLAIN = 'gameserver-sidecar.player'
export const WITH_CHANNEL = 'gameserver-sidecar.player.webrtc'

/** From the page: the offer of the attempt `id`; or whether the channel carries messages now. */
export type PlayerSignal =
  { readonly id: number; readonly offer: string } | { readonly id: number; readonly up: boolean }

/**
 * From the host: its answer, with one line for each of its addresses; or the news that the channel is refused or ended.
 */
export type HostSignal =
  | { readonly id: number; readonly answer: string; readonly candidates: readonly string[] }
  | { readonly id: number; readonly ended: string }

/** Texts of the game that begin with `MARK` get a second one in front, so only a signal begins with `MARK` and `{`. */
const MARK = '\0'

export const writeSignal = (signal: PlayerSignal | HostSignal): string => MARK + JSON.stringify(signal)

/** Escapes a text of the game that is sent beside signals. */
export const writeText = (text: string): string => (text[0] === MARK ? MARK + text : text)

/** The signal as JSON, or the game's own text. */
export const readText = (text: string): { signal: string } | { text: string } =>
  text[0] !== MARK ? { text } : text[1] === '{' ? { signal: text.slice(1) } : { text: text.slice(1) }
