/**
 * What a player's page and the host tell each other about a data channel, over the player's WebSocket.
 *
 * A page that wants a channel offers both subprotocols. The host answers with `WITH_CHANNEL` if it has channels. Any other
 * server takes the first of the two or none, and gets nothing but the game's own messages.
 */
export const PLAIN = 'gameserver-sidecar.player'
export const WITH_CHANNEL = 'gameserver-sidecar.player.webrtc'

/** The page's: an offer of the attempt `id`; or whether the channel carries messages now. */
export type PlayerSignal =
  { readonly id: number; readonly offer: string } | { readonly id: number; readonly up: boolean }

/** The host's: its answer, with one line for each of its addresses; or that there is no channel, or none any more. */
export type HostSignal =
  | { readonly id: number; readonly answer: string; readonly candidates: readonly string[] }
  | { readonly id: number; readonly ended: string }

/** Texts of the game that begin with this get another one in front, so that a signal begins with `MARK` and `{`. */
const MARK = '\0'

export const writeSignal = (signal: PlayerSignal | HostSignal): string => MARK + JSON.stringify(signal)

/** A text of the game as it is sent beside signals. */
export const writeText = (text: string): string => (text[0] === MARK ? MARK + text : text)

/** The signal as JSON, or the game's own text. */
export const readText = (text: string): { signal: string } | { text: string } =>
  text[0] !== MARK ? { text } : text[1] === '{' ? { signal: text.slice(1) } : { text: text.slice(1) }
