import type { CounterStatus, GameServer } from '../../../protocol/game-server.js'
import type { Change } from './effect.js'
import { own } from './game-server-edits.js'
import { copyOf } from './show.js'

/** The longest label or annotation that is shown whole. */
const longestText = 1000

/** The changes between two versions of a GameServer, without its version numbers. */
export function diffGameServers(previous: GameServer, next: GameServer): Change[] {
  if (previous === next) return []
  const changes: Change[] = []
  if (previous.object_meta.uid !== next.object_meta.uid || previous.object_meta.name !== next.object_meta.name) {
    changes.push({
      type: 'replaced',
      reason: 'reload',
      previous: previous.object_meta.name,
      name: next.object_meta.name,
    })
  }
  if (previous.status.state !== next.status.state) {
    changes.push({ type: 'state', value: next.status.state, previous: previous.status.state })
  }
  const before = previous.object_meta
  const after = next.object_meta
  const deletion = after.deletion_timestamp ?? '0'
  // There may be more changes than a call can have arguments, so `push(...)` would throw.
  return changes.concat(
    metadataChanges('label', before.labels, after.labels),
    metadataChanges('annotation', before.annotations, after.annotations),
    counterChanges(previous, next),
    listChanges(previous, next),
    deletion === (before.deletion_timestamp ?? '0') ? [] : [{ type: 'deletion', timestamp: deletion }],
  )
}

type Texts = Readonly<Record<string, string>> | null | undefined

function metadataChanges(type: 'label' | 'annotation', before: Texts, after: Texts): Change[] {
  if (before === after) return []
  const keys = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  const changes: Change[] = []
  for (const key of keys) {
    const value = own(after, key)
    const previous = own(before, key)
    if (value !== previous) changes.push({ type, key, value: shorten(value), previous: shorten(previous) })
  }
  return changes
}

function shorten<T extends string | undefined>(text: T): T | string {
  if (text === undefined || text.length <= longestText) return text
  return `${copyOf(text.slice(0, longestText))}… (${text.length} characters)`
}

function counterChanges(previous: GameServer, next: GameServer): Change[] {
  if (previous.status.counters === next.status.counters) return []
  const changes: Change[] = []
  for (const [name, { count, capacity }] of Object.entries(next.status.counters ?? {})) {
    const before: Partial<CounterStatus> = own(previous.status.counters, name) ?? {}
    if (before.count !== count || before.capacity !== capacity) {
      changes.push({ type: 'counter', name, count, capacity })
    }
  }
  return changes
}

function listChanges(previous: GameServer, next: GameServer): Change[] {
  if (previous.status.lists === next.status.lists) return []
  const changes: Change[] = []
  for (const [name, list] of Object.entries(next.status.lists ?? {})) {
    const before = own(previous.status.lists, name)
    if (before === list) continue
    const was = new Set(before?.values ?? [])
    const is = new Set(list.values ?? [])
    const added = [...is].filter((value) => !was.has(value)).map(shorten)
    const removed = [...was].filter((value) => !is.has(value)).map(shorten)
    if (added.length > 0 || removed.length > 0 || before?.capacity !== list.capacity) {
      changes.push({ type: 'list', name, capacity: list.capacity, added, removed })
    }
  }
  return changes
}
