import { ConnectionDropped } from './connection-dropped.js'
import type { WatchHandle, WatchSink } from '../sidecar.js'

/**
 * A watch as the body of a response: one line an object, an error where the real one's connection is reset.
 */
export function watchStream(open: (sink: WatchSink) => WatchHandle): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let handle: WatchHandle | undefined
  let wanted: (() => void) | undefined
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        handle = open({
          onMessage({ json }) {
            controller.enqueue(encoder.encode(json + '\n'))
            if ((controller.desiredSize ?? 1) > 0) return undefined
            return new Promise<void>((resolve) => (wanted = resolve))
          },
          onEnd: (reason) => controller.error(new ConnectionDropped(`the watch ended: ${reason}`)),
        })
      },
      pull() {
        wanted?.()
        wanted = undefined
      },
      cancel: () => handle?.close(),
    },
    { highWaterMark: 1 },
  )
}
