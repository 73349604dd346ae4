import type { WatchEnd } from '../model/state/effect.js'
import { lineOf } from './watch-message.js'
import type { WatchMessage } from './watch-message.js'

/** The sidecar answers nothing at all: the host must cut the connection. */
export class ConnectionDropped extends Error {
  override readonly name = 'ConnectionDropped'
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
            const taken = new Promise<void>((resolve) => (resume = resolve))
            controller.enqueue(lineOf(message))
            return taken
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
    // Nothing waits in the stream: it would be one more version of the object for each slow reader.
    { highWaterMark: 0 },
  )
}
