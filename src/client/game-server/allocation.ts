import type { GameServer } from '../../protocol/game-server.js'
import type { AllocatedEvent, Counter, List } from '../types.js'
import { own } from './game-server.js'
import type { Resources } from './resources.js'

type JsonMap<T> = Record<string, T> | null | undefined

/** A map without inherited members, since its keys come from outside. */
const createMap = <T>(): Record<string, T> => Object.create(null) as Record<string, T>

/**
 * Whether an object shows an allocation that the one before didn't: a server that is Allocated already can be allocated
 * again, and then only the time of its last allocation changes.
 *
 * @param annotation the name of the annotation that holds that time
 */
export function showsAllocation(previous: GameServer | undefined, next: GameServer, annotation: string): boolean {
  const timeOf = ({ object_meta: { annotations } }: GameServer): unknown => own(annotations, annotation)
  const time = timeOf(next)
  // Somebody may take the annotation away, which is no allocation.
  return (
    next.status.state === 'Allocated' &&
    (previous?.status.state !== 'Allocated' || (time !== undefined && time !== timeOf(previous)))
  )
}

/** Collects what came with an allocation: the differences to the object before, or everything where there was none. */
export function allocatedEvent(
  previous: GameServer | undefined,
  next: GameServer,
  { toCounter, toList }: Resources,
  toKey: (key: string) => string,
  each: (run: () => void) => void,
): AllocatedEvent {
  const { object_meta: meta, status } = next
  const event: AllocatedEvent = {
    gameServer: next,
    labels: createMap(),
    annotations: createMap(),
    counters: createMap(),
    lists: createMap(),
  }

  const collect = (into: Record<string, string>, now: JsonMap<string>, before: JsonMap<string>): void => {
    for (const key of Object.keys(now ?? {})) {
      const value = own(now, key)!
      if (value !== own(before, key)) into[toKey(key)] = value
    }
  }
  collect(event.labels, meta.labels, previous?.object_meta.labels)
  collect(event.annotations, meta.annotations, previous?.object_meta.annotations)

  const none = { count: '0', capacity: '0' }
  for (const name of Object.keys(status.counters ?? {}))
    each(() => {
      const count = (raw: object | undefined): Counter['count'] => toCounter(name, raw ?? none).count
      const difference = count(own(status.counters, name)) - count(own(previous?.status.counters, name))
      if (difference) event.counters[name] = difference
    })
  for (const name of Object.keys(status.lists ?? {}))
    each(() => {
      const values = (raw: object | undefined): List['values'] => toList(name, raw ?? none).values
      const before = new Set(values(own(previous?.status.lists, name)))
      const added = values(own(status.lists, name)).filter((value) => !before.has(value))
      if (added.length) event.lists[name] = added
    })
  return event
}
