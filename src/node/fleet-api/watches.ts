import { ReadableStream } from 'node:stream/web'
import type { ObjectChange, PlatformObject, RunningFleet } from '../../fleet/types.js'
import { stored } from './resources.js'
import { refusals } from './status.js'
import type { StatusError } from './status.js'

/** Changes that are kept for a client that lists, then watches from there. */
const MOST_CHANGES = 2_000
/** Bytes that wait for a slow client. */
const MOST_WAITING = 1024 * 1024
/** How long a watch lasts that names no time, as in a cluster. */
const DEFAULT_SECONDS = 45 * 60
const BOOKMARK_MS = 60_000
/** The longest time in milliseconds of a timer. */
const LONGEST_TIME = 2 ** 31 - 1

type EventType = ObjectChange['type'] | 'BOOKMARK' | 'ERROR'

/** A change with what a filtered watch needs of the past. */
interface KeptChange extends ObjectChange {
  readonly version: number
  readonly previous: PlatformObject | undefined
  /** Its lines by form and type: a thousand watches share one. */
  readonly lines: Map<string, Uint8Array>
}

/** What a watch is asked for. */
export interface WatchOptions {
  readonly plural: ObjectChange['plural']
  readonly matches: (object: PlatformObject) => boolean
  /** Name of the form in which objects are written. */
  readonly form: string
  /** The object of an event. */
  write(object: PlatformObject, isFirst: boolean): object
  /** The object of a bookmark; undefined for a watch without any. */
  readonly bookmark: ((metadata: object) => object) | undefined
  /** The version of the client's list; undefined to be told of all objects first. */
  readonly since: string | undefined
  /** Whether a bookmark marks the end of the first objects. */
  readonly marksInitial: boolean
  readonly timeoutSeconds: number | undefined
}

export interface Watches {
  /** Starts a watch: a stream of JSON lines. */
  watch(options: WatchOptions): Response
  /** Ends every watch. */
  close(): void
}

/** Keeps the newest changes of a Fleet, and tells watches of them. */
export function createWatches(fleet: RunningFleet): Watches {
  const kept: KeptChange[] = []
  const objects = new Map<string, PlatformObject>()
  const watchers = new Set<Watcher>()
  /** Version of the newest change that is no longer kept. */
  let forgotten = Number(fleet.resourceVersion)

  const keyOf = (plural: string, { metadata }: PlatformObject): string => `${plural}/${metadata.name}`
  for (const plural of stored) for (const object of fleet.objects(plural)) objects.set(keyOf(plural, object), object)

  const unsubscribe = fleet.onChange((change) => {
    const key = keyOf(change.plural, change.object)
    const version = Number(change.object.metadata.resourceVersion)
    const entry = { ...change, version, previous: objects.get(key), lines: new Map<string, Uint8Array>() }
    if (change.type === 'DELETED') objects.delete(key)
    else objects.set(key, change.object)
    kept.push(entry)
    if (kept.length > MOST_CHANGES) forgotten = kept.shift()!.version
    for (const watcher of watchers) watcher.onChange(entry)
  })

  /** The first events of a watch. */
  const begin = (watcher: Watcher, { plural, matches, since }: WatchOptions): void => {
    if (since === undefined) {
      for (const object of fleet.objects(plural).filter(matches)) watcher.tell('ADDED', { object, lines: new Map() })
      return watcher.mark(true)
    }
    // A version from the future is one of an earlier run of the command: the client must list again.
    if (Number(since) < forgotten || Number(since) > Number(fleet.resourceVersion)) {
      return watcher.fail(refusals.expired(since, fleet.resourceVersion))
    }
    for (const change of kept) if (change.version > Number(since)) watcher.onChange(change)
  }

  return {
    watch(options) {
      let watcher: Watcher | undefined
      const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
        const own = createWatcher(
          options,
          controller,
          () => fleet.resourceVersion,
          () => watchers.delete(own),
        )
        watcher = own
        watchers.add(own)
        begin(own, options)
      }
      const limit = { highWaterMark: MOST_WAITING, size: ({ byteLength }: Uint8Array) => byteLength }
      const stream = new ReadableStream({ start, cancel: () => watcher?.stop() }, limit)
      return new Response(stream as BodyInit, {
        headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      })
    },
    close() {
      unsubscribe()
      for (const watcher of watchers) watcher.end()
    },
  }
}

interface Watcher {
  onChange(change: KeptChange): void
  tell(type: EventType, change: Pick<KeptChange, 'object' | 'lines'>): void
  /** Sends a bookmark. */
  mark(isInitial: boolean): void
  /** Ends the watch with an error that tells the client to list again. */
  fail(error: StatusError): void
  end(): void
  /** Frees what the watch holds. */
  stop(): void
}

function createWatcher(
  { plural, matches, form, write, bookmark, marksInitial, timeoutSeconds = DEFAULT_SECONDS }: WatchOptions,
  controller: ReadableStreamDefaultController<Uint8Array>,
  currentVersion: () => string,
  onStop: () => void,
): Watcher {
  let isFirst = true
  let isOver = false

  const send = (line: Uint8Array): void => {
    if (isOver) return
    if ((controller.desiredSize ?? 0) > 0) return controller.enqueue(line)
    // Nobody waits for a slow client: its connection is cut, and it goes on from the last change that it has read.
    stop()
    controller.error(new Error('The client reads its watch too slowly'))
  }
  const stop = (): void => {
    isOver = true
    clearTimeout(timeout)
    clearInterval(bookmarks)
    onStop()
  }
  const end = (): void => {
    if (isOver) return
    stop()
    controller.close()
  }
  const tell: Watcher['tell'] = (type, { object, lines }) => {
    const key = `${form} ${type} ${isFirst}`
    const line = lines.get(key) ?? lineOf(type, write(object, isFirst))
    lines.set(key, line)
    isFirst = false
    send(line)
  }
  const mark: Watcher['mark'] = (isInitial) => {
    if (bookmark === undefined || (isInitial && !marksInitial)) return
    const annotations = isInitial ? { 'k8s.io/initial-events-end': 'true' } : undefined
    send(lineOf('BOOKMARK', bookmark({ resourceVersion: currentVersion(), creationTimestamp: null, annotations })))
  }
  const timeout = setTimeout(end, Math.min(timeoutSeconds * 1000, LONGEST_TIME)).unref()
  const bookmarks = setInterval(mark, BOOKMARK_MS, false).unref()
  return {
    tell,
    mark,
    end,
    stop,
    onChange(change) {
      if (change.plural !== plural) return
      const was = change.previous !== undefined && matches(change.previous)
      const is = change.type !== 'DELETED' && matches(change.object)
      if (was || is) tell(is ? (was ? 'MODIFIED' : 'ADDED') : 'DELETED', change)
    },
    fail({ status }) {
      send(lineOf('ERROR', status))
      end()
    },
  }
}

const encoder = new TextEncoder()
const lineOf = (type: EventType, object: object): Uint8Array => encoder.encode(`${JSON.stringify({ type, object })}\n`)
