import type { CounterStatus, GameServer, ListStatus } from '../../../protocol/game-server.js'
import type { Change } from './effect.js'
import { own } from './game-server-edits.js'
import { copyOf } from './show.js'

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
