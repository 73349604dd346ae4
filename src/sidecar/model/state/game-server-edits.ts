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
  const time = new Date(at).toISOString()
  return withMetadata(
    object,
    'annotations',
    withKey(object.object_meta.annotations, `${platform}.dev/last-allocated`, time),
  )
}

/** Whether the object is on its way out: then only its metadata can still be changed from within. */
export function isBeingDeleted(object: GameServer): boolean {
  return (object.object_meta.deletion_timestamp ?? '0') !== '0' || object.status.state === 'Shutdown'
}
