import type { CounterStatus, GameServer, ListStatus } from '../../../protocol/game-server.js'
import { lastAllocatedAnnotation } from '../../../protocol/names.js'
import { lessThan } from './int64.js'
import type { Change } from './events.js'
import { copyOf } from './show.js'

type ReadonlyRecord<T> = Readonly<Record<string, T>> | null | undefined

/** Reads a key as data: `__proto__` and the like are keys like any other. */
export function own<T>(record: ReadonlyRecord<T>, key: string): T | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined
}

/** A copy with the key set; keys stay sorted, as the real sidecar prints them. */
export function withKey<T>(record: ReadonlyRecord<T>, key: string, value: T): Record<string, T> {
  return sorted([...Object.entries(withoutKey(record, key)), [key, value]])
}

function withoutKey<T>(record: ReadonlyRecord<T>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record ?? {}).filter(([other]) => other !== key))
}

/** A record of the entries, sorted by key. `Object.fromEntries` makes any name an own key, even `__proto__`. */
export function sorted<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}

type Fields = Readonly<Record<string, unknown>>

/** Whether two values of JSON are equal. Most parts of a changed object are the same as before, so they cost nothing. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const keys = Object.keys(a)
  if (Array.isArray(a) !== Array.isArray(b) || keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isEqual((a as Fields)[key], (b as Fields)[key]))
}

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

/** The object with a label or annotation set, or removed by null. */
export function withText(
  object: GameServer,
  kind: 'labels' | 'annotations',
  key: string,
  value: string | null,
): GameServer {
  const before = object.object_meta[kind]
  return withMetadata(object, kind, value === null ? withoutKey(before, key) : withKey(before, key, value))
}

/** A counter with its count between 0 and its capacity. */
export function clampCounter({ count, capacity }: CounterStatus): CounterStatus {
  if (lessThan(capacity, count)) return { count: capacity, capacity }
  return { count: lessThan(count, '0') ? '0' : count, capacity }
}

/** A copy of the values after their changes. Changes of absent values have no effect. */
export function changeEach<Value, Change>(
  values: ReadonlyRecord<Value>,
  changes: Readonly<Record<string, Change>>,
  apply: (value: Value, change: Change) => Value,
): Record<string, Value> {
  const next = new Map(Object.entries(values ?? {}))
  for (const [name, change] of Object.entries(changes)) {
    const value = next.get(name)
    if (value !== undefined) next.set(name, apply(value, change))
  }
  return Object.fromEntries(next)
}

export function withCounter(object: GameServer, name: string, counter: CounterStatus): GameServer {
  return { ...object, status: { ...object.status, counters: withKey(object.status.counters, name, counter) } }
}

export function withList(object: GameServer, name: string, list: ListStatus): GameServer {
  return { ...object, status: { ...object.status, lists: withKey(object.status.lists, name, list) } }
}

/** The object with the annotation that Allocated leaves behind. */
export function withLastAllocated(object: GameServer, platform: string, at: number): GameServer {
  const key = lastAllocatedAnnotation(platform)
  const previous = object.object_meta.annotations?.[key]
  const time = new Date(at).toISOString().slice(0, -1)
  // A cluster's times have nanoseconds, so no two allocations have the same. Here those of one millisecond are counted.
  const part = previous?.startsWith(time) ? `${Number(previous.slice(time.length, -1)) + 1}`.padStart(6, '0') : ''
  return withText(object, 'annotations', key, `${time}${part}Z`)
}

/** Whether the platform has marked the object for deletion. */
export const isMarked = ({ object_meta: { deletion_timestamp: time } }: GameServer): boolean => (time ?? '0') !== '0'

/** Whether the object is on its way out: then only its metadata can still be changed from within. */
export const isBeingDeleted = (object: GameServer): boolean => isMarked(object) || object.status.state === 'Shutdown'

/** Whether the state is final for the game. */
export const isFinal = (object: GameServer): boolean => isBeingDeleted(object) || object.status.state === 'Unhealthy'

/** The longest label or annotation that is shown whole. */
const longestText = 1000

/** The changes between two versions of a GameServer, without its version numbers. */
export function diffGameServers(previous: GameServer, next: GameServer): Change[] {
  if (previous === next) return []
  const [before, after] = [previous.object_meta, next.object_meta]
  const changes: Change[] = []
  if (before.uid !== after.uid || before.name !== after.name) {
    changes.push({ type: 'replaced', reason: 'reload', previous: before.name, name: after.name })
  }
  if (previous.status.state !== next.status.state) {
    changes.push({ type: 'state', value: next.status.state, previous: previous.status.state })
  }
  const deletion = after.deletion_timestamp ?? '0'
  // There may be more changes than a call can have arguments, so `push(...)` would throw.
  return changes.concat(
    metadataChanges('label', before.labels, after.labels),
    metadataChanges('annotation', before.annotations, after.annotations),
    counterChanges(previous.status.counters, next.status.counters),
    listChanges(previous.status.lists, next.status.lists),
    deletion === (before.deletion_timestamp ?? '0') ? [] : [{ type: 'deletion', timestamp: deletion }],
  )
}

type Records<T> = Readonly<Record<string, T>> | null | undefined

function metadataChanges(type: 'label' | 'annotation', before: Records<string>, after: Records<string>): Change[] {
  if (before === after) return []
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].flatMap((key) => {
    const [value, previous] = [own(after, key), own(before, key)]
    return value === previous ? [] : { type, key, value: shorten(value), previous: shorten(previous) }
  })
}

function shorten<T extends string | undefined>(text: T): T | string {
  if (text === undefined || text.length <= longestText) return text
  return `${copyOf(text.slice(0, longestText))}… (${text.length} characters)`
}

const counterChanges = (before: Records<CounterStatus>, after: Records<CounterStatus>): Change[] =>
  Object.entries(after ?? {}).flatMap(([name, { count, capacity }]) => {
    const old = own(before, name)
    return old?.count === count && old.capacity === capacity ? [] : { type: 'counter', name, count, capacity }
  })

const listChanges = (before: Records<ListStatus>, after: Records<ListStatus>): Change[] =>
  Object.entries(after ?? {}).flatMap(([name, list]) => {
    const old = own(before, name)
    if (old === list) return []
    const [was, is] = [new Set(old?.values), new Set(list.values)]
    const added = [...is].filter((value) => !was.has(value)).map(shorten)
    const removed = [...was].filter((value) => !is.has(value)).map(shorten)
    const isSame = added.length === 0 && removed.length === 0 && old?.capacity === list.capacity
    return isSame ? [] : { type: 'list', name, capacity: list.capacity, added, removed }
  })
