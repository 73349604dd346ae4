import type { WatchEnd } from '../state/effect.js'
import type { GameServer } from '../../../protocol/game-server.js'

/** One message of a watch. */
export interface WatchMessage {
  readonly gameServer: GameServer
  /** `{"result":{...}}`, without a line end: a line of the HTTP stream, a text frame of a WebSocket. */
  readonly json: string
}

const PREFIX = '{"result":'
const messages = new WeakMap<GameServer, WatchMessage>()
const lines = new WeakMap<WatchMessage, Uint8Array>()

/** The message of a GameServer. GameServers are immutable, so each is serialized once for all watchers. */
export function watchMessageOf(gameServer: GameServer): WatchMessage {
  const known = messages.get(gameServer)
  if (known !== undefined) return known
  const message = { gameServer, json: `${PREFIX}${JSON.stringify(gameServer)}}` }
  messages.set(gameServer, message)
  return message
}

/** The line of a message. All watchers share it, since it takes as much memory as the GameServer. */
export function lineOf(message: WatchMessage): Uint8Array {
  const known = lines.get(message)
  if (known !== undefined) return known
  const line = new TextEncoder().encode(message.json + '\n')
  lines.set(message, line)
  return line
}

/** The JSON of a GameServer, as a view of its line: don't change it. */
export function gameServerBytes(gameServer: GameServer): Uint8Array {
  return lineOf(watchMessageOf(gameServer)).subarray(PREFIX.length, -'}\n'.length)
}

/** The sidecar doesn't answer: the host must cut the connection. */
export class ConnectionDropped extends Error {
  override readonly name = 'ConnectionDropped'
}

/** The receiver of a watch. */
export interface WatchSink {
  /**
   * Takes each object, the current one first. While a returned promise is pending, later objects wait in a bounded
   * queue.
   */
  onMessage(message: WatchMessage): void | Promise<void>
  /** Called once when the sidecar ends the watch; not after `close()`. The connection should be reset. */
  onEnd?(reason: WatchEnd): void
  /** Called instead of any message if the watch can't be opened: the body to send as the only frame. */
  onError?(answer: { readonly status: number; readonly body: string }): void
}

export interface WatchHandle {
  close(): void
}

/** A watch as the body of a response: one line per object, and an error when the real connection would be reset. */
export function createLines(onCancel: () => void): {
  readonly stream: ReadableStream<Uint8Array>
  readonly sink: WatchSink
} {
  let resume: (() => void) | undefined
  let controller: ReadableStreamDefaultController<Uint8Array>
  const source: UnderlyingDefaultSource<Uint8Array> = {
    start: (given) => void (controller = given),
    pull() {
      resume?.()
      resume = undefined
    },
    cancel: onCancel,
  }
  return {
    // The stream buffers nothing: it would hold one more version of the object for each slow reader.
    stream: new ReadableStream(source, { highWaterMark: 0 }),
    sink: {
      onMessage(message) {
        const taken = new Promise<void>((resolve) => (resume = resolve))
        controller.enqueue(lineOf(message))
        return taken
      },
      onEnd: (reason) => controller.error(new ConnectionDropped(`the watch ended: ${reason}`)),
    },
  }
}
