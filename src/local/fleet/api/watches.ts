import type { ServerResponse } from 'node:http'
import { Newest, type ObjectChange, type PlatformObject, type RunningFleet } from '../../../platform/fleet.js'
import { SAFE_HEADERS } from '../../http/refusal.js'
import { objectsOf, tableOf, wantsTable, matcherOf } from './reads.js'
import { refusals, type ApiRequest } from './resources.js'

/** Changes that are kept for a client that lists, then watches from there. */
const MOST_CHANGES = 2_000
/** Bytes that wait for a slow client. */
const MOST_WAITING = 1024 * 1024
/** Duration of a watch whose request has no `timeoutSeconds`, as in a cluster. */
const DEFAULT_SECONDS = 45 * 60
/** The longest duration of a watch: longer timers of Node fire at once. */
const MOST_SECONDS = 2_000_000

interface KeptChange extends ObjectChange {
  readonly version: number
}

/** Keeps the newest changes of a Fleet, and tells watches of them. */
export function createWatches(fleet: RunningFleet) {
  const newest = new Newest<KeptChange>(MOST_CHANGES)
  const kept = newest.items
  const watchers = new Map<(change: KeptChange) => void, ServerResponse>()
  /** Version of the newest change that is no longer kept. */
  let forgotten = Number(fleet.resourceVersion)

  const unsubscribe = fleet.onChange((change) => {
    const entry = { ...change, version: Number(change.object.metadata.resourceVersion) }
    forgotten = newest.push(entry).at(-1)?.version ?? forgotten
    for (const onChange of watchers.keys()) onChange(entry)
  })

  return {
    /** Answers with the changes of a type, a line of JSON for each. @throws StatusError */
    watch(request: ApiRequest, reply: ServerResponse): void {
      const { query, type } = request
      const matches = matcherOf(request)
      const since = versionOf(request)
      const isTable = wantsTable(request)
      let isFirst = true

      const send = (type: string, object: object): void => {
        reply.write(`${JSON.stringify({ type, object })}\n`)
        // Nobody waits for a slow client: its connection is cut, and it goes on from the last change that it has read.
        if (reply.writableLength > MOST_WAITING) reply.socket?.resetAndDestroy()
      }
      const tell = (event: ObjectChange['type'], object: PlatformObject): void => {
        send(event, isTable ? tableOf(request, [object], isFirst) : object)
        isFirst = false
      }
      const onChange = (change: KeptChange): void => {
        if (change.plural !== type.plural || reply.destroyed) return
        const was = change.previous !== undefined && matches(change.previous)
        const is = change.type !== 'DELETED' && matches(change.object)
        if (was || is) tell(is ? (was ? 'MODIFIED' : 'ADDED') : 'DELETED', change.object)
      }

      reply.writeHead(200, { 'content-type': 'application/json', ...SAFE_HEADERS }).flushHeaders()
      // A version from the future is one of an earlier run of the command: the client must list again.
      if (since !== undefined && (since < forgotten || since > Number(fleet.resourceVersion))) {
        send('ERROR', refusals.expired(`too old resource version: ${since} (${fleet.resourceVersion})`).status)
        return void reply.end()
      }
      if (since !== undefined) for (const change of kept) if (change.version > since) onChange(change)
      if (since === undefined) {
        for (const object of objectsOf(fleet, type)) if (matches(object)) tell('ADDED', object)
      }
      const seconds = Number(query.get('timeoutSeconds')) || DEFAULT_SECONDS
      const limit = setTimeout(() => reply.end(), Math.min(seconds, MOST_SECONDS) * 1000).unref()
      watchers.set(onChange, reply)
      reply.once('close', () => {
        clearTimeout(limit)
        watchers.delete(onChange)
      })
    },
    /** Ends every watch. */
    close(): void {
      unsubscribe()
      for (const reply of watchers.values()) reply.end()
    },
  }
}

/** The version of a client's list; undefined to be told of all objects first. @throws StatusError */
function versionOf({ query, type }: ApiRequest): number | undefined {
  const text = query.get('resourceVersion') ?? ''
  if (!/^\d*$/.test(text)) throw refusals.badRequest(`invalid resource version ${JSON.stringify(text)}`)
  // `client-go` then lists, as it does where a cluster is without this option.
  if (query.has('sendInitialEvents')) throw refusals.invalid(type, '', 'sendInitialEvents is not served')
  return Number(text) || undefined
}
