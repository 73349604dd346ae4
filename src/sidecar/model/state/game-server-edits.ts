import type { CounterStatus, GameServer, ListStatus } from '../../../protocol/game-server.js'
import { withKey } from './records.js'

export function withState(object: GameServer, state: string): GameServer {
  return { ...object, status: { ...object.status, state } }
}

export function withMetadata(
  object: GameServer,
  kind: 'labels' | 'annotations',
  record: Record<string, string>,
): GameServer {
  return { ...object, object_meta: { ...object.object_meta, [kind]: record } }
}

export function withCounter(object: GameServer, name: string, counter: CounterStatus): GameServer {
  return { ...object, status: { ...object.status, counters: withKey(object.status.counters, name, counter) } }
}

export function withList(object: GameServer, name: string, list: ListStatus): GameServer {
  return { ...object, status: { ...object.status, lists: withKey(object.status.lists, name, list) } }
}

/** The object with the annotation that Allocated leaves behind. */
export function withLastAllocated(object: GameServer, platform: string, at: number): GameServer {
  const key = `${platform}.dev/last-allocated`
  const { annotations } = object.object_meta
  const previous = annotations?.[key]
  const time = new Date(at).toISOString().slice(0, -1)
  // A cluster's times have nanoseconds, so no two allocations have the same. Here those of one millisecond are counted.
  const part = previous?.startsWith(time) ? `${Number(previous.slice(time.length, -1)) + 1}`.padStart(6, '0') : ''
  return withMetadata(object, 'annotations', withKey(annotations, key, `${time}${part}Z`))
}

/** Whether the object is on its way out: then only its metadata can still be changed from within. */
export function isBeingDeleted(object: GameServer): boolean {
  return (object.object_meta.deletion_timestamp ?? '0') !== '0' || object.status.state === 'Shutdown'
}
