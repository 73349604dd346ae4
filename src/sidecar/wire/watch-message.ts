import type { GameServer } from '../../protocol/game-server.js'

/** One message of a watch. */
export interface WatchMessage {
  readonly gameServer: GameServer
  /** `{"result":{...}}`, without a line end: a line of the HTTP stream, a text frame of a WebSocket. */
  readonly json: string
}

const PREFIX = '{"result":'
const encoder = new TextEncoder()
const messages = new WeakMap<GameServer, WatchMessage>()
const lines = new WeakMap<WatchMessage, Uint8Array>()

/** The message of a GameServer. No GameServer ever changes, so each is written as JSON once, for all who read it. */
export function watchMessageOf(gameServer: GameServer): WatchMessage {
  const known = messages.get(gameServer)
  if (known !== undefined) return known
  const message = { gameServer, json: `${PREFIX}${JSON.stringify(gameServer)}}` }
  messages.set(gameServer, message)
  return message
}

/** The line of a message, which all readers share: each would take as much memory as the GameServer. */
export function lineOf(message: WatchMessage): Uint8Array {
  const known = lines.get(message)
  if (known !== undefined) return known
  const line = encoder.encode(message.json + '\n')
  lines.set(message, line)
  return line
}

/** The JSON of a GameServer: a part of the line, not a copy. Nobody may change it. */
export function gameServerBytes(gameServer: GameServer): Uint8Array {
  return lineOf(watchMessageOf(gameServer)).subarray(PREFIX.length, -'}\n'.length)
}
