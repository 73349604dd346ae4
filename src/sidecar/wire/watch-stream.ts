import type { GameServer } from '../../protocol/game-server.js'
import type { WatchEnd } from '../model/state/effect.js'

/** The sidecar answers nothing at all: the host must cut the connection. */
export class ConnectionDropped extends Error {
  override readonly name = 'ConnectionDropped'
}

/** One message of a watch. */
export interface WatchMessage {
  readonly gameServer: GameServer
  /** `{"result":{...}}`, without a line end: a line of the HTTP stream, a text frame of a WebSocket. */
  readonly json: string
}

/** The receiver of a watch. */
export interface WatchSink {
  /**
   * Called for each object, the current one first. While a returned promise is pending nothing more is handed over;
   * later objects wait in a bounded queue.
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
export function watchStream(open: (sink: WatchSink) => WatchHandle): ReadableStream<Uint8Array> {
  let handle: WatchHandle | undefined
  let resume: (() => void) | undefined
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        handle = open({
          onMessage(message) {
            controller.enqueue(lineOf(message))
            if ((controller.desiredSize ?? 1) > 0) return undefined
            return new Promise<void>((resolve) => (resume = resolve))
          },
          onEnd: (reason) => controller.error(new ConnectionDropped(`the watch ended: ${reason}`)),
        })
      },
      pull() {
        resume?.()
        resume = undefined
      },
      cancel: () => handle?.close(),
    },
    { highWaterMark: 1 },
  )
}

const encoder = new TextEncoder()
const lines = new WeakMap<WatchMessage, Uint8Array>()

/** The line of a message, which all watchers share: each would take as much memory as the GameServer. */
function lineOf(message: WatchMessage): Uint8Array {
  const known = lines.get(message)
  if (known !== undefined) return known
  const line = encoder.encode(message.json + '\n')
  lines.set(message, line)
  return line
}
