import type { GameServer } from '../../protocol/game-server.js'
import { callSafely, type Report } from './listeners.js'
import type { WatchEnd } from './state/events.js'
import type { WatcherInfo } from './wire/snapshot.js'

interface Watcher extends Omit<WatcherInfo, 'queued'> {
  readonly sink: WatchSink
  readonly queue: WatchMessage[]
  sent: number
  dropped: number
  /** The sink hasn't accepted the last message yet. */
  busy: boolean
}

type NewWatch = Pick<Watcher, 'transport' | 'openedAt' | 'client' | 'sink'>

export type Watchers = ReturnType<typeof createWatchers>

/** The most characters that are queued for a watcher, besides the newest object. */
const maxQueued = 16 * 1024 * 1024

/** All open watches. Each has its own bounded queue and delays no other, which always keeps the newest object. */
export function createWatchers(queueLength: number, onFailure: (id: number) => void, report: Report) {
  const watchers = new Map<number, Watcher>()
  let stalled = false
  let nextId = 1

  function send(watcher: Watcher, message: WatchMessage): void {
    const { queue } = watcher
    queue.push(message)
    const size = (): number => queue.reduce((sum, { json }) => sum + json.length, 0)
    while (queue.length > Math.max(1, queueLength) || (queue.length > 1 && size() > maxQueued)) {
      queue.shift()
      watcher.dropped++
    }
    pump(watcher)
  }

  function pump(watcher: Watcher): void {
    while (!stalled && !watcher.busy && watchers.get(watcher.id) === watcher) {
      const message = watcher.queue.shift()
      if (!message) return
      watcher.sent++
      try {
        const taken = watcher.sink.onMessage(message)
        if (!taken) continue
        watcher.busy = true
        taken.then(
          () => {
            watcher.busy = false
            pump(watcher)
          },
          () => fail(watcher),
        )
      } catch (error) {
        report(error)
        fail(watcher)
      }
    }
  }

  function fail(watcher: Watcher): void {
    if (watchers.get(watcher.id) !== watcher) return
    end(watcher, 'failed')
    onFailure(watcher.id)
  }

  function end(watcher: Watcher, reason: WatchEnd): void {
    watchers.delete(watcher.id)
    callSafely((why: WatchEnd) => watcher.sink.onEnd?.(why), reason, report)
  }

  return {
    /** Returns its id. */
    add(watch: NewWatch): number {
      const id = nextId++
      watchers.set(id, { id, ...watch, queue: [], sent: 0, dropped: 0, busy: false })
      return id
    },
    /** Forgets a watch without telling it. Returns whether it was open. */
    remove: (id: number): boolean => watchers.delete(id),
    greet(id: number, gameServer: GameServer): void {
      const watcher = watchers.get(id)
      if (watcher) send(watcher, watchMessageOf(gameServer))
    },
    publish(gameServer: GameServer): void {
      for (const watcher of [...watchers.values()]) send(watcher, watchMessageOf(gameServer))
    },
    /** Ends every watch, or those of `ids`. */
    end(reason: WatchEnd, ids?: readonly number[]): void {
      for (const watcher of [...watchers.values()]) if (ids?.includes(watcher.id) ?? true) end(watcher, reason)
    },
    /** Stops or resumes sending to every watch. */
    stall(isStalled: boolean): void {
      stalled = isStalled
      for (const watcher of [...watchers.values()]) pump(watcher)
    },
    infos: (): WatcherInfo[] => [...watchers.values()].map(infoOf),
  }
}

function infoOf({ id, transport, openedAt, client, sent, queue, dropped }: Watcher): WatcherInfo {
  return { id, transport, openedAt, client, sent, queued: queue.length, dropped }
}

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
function watchMessageOf(gameServer: GameServer): WatchMessage {
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
