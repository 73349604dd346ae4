import type { CounterStatus, GameServer, ListStatus } from '../../protocol/game-server.js'
import {
  changeEach,
  clampCounter,
  own,
  sorted,
  withLastAllocated,
  withState,
} from '../sidecar/state/game-server-edits.js'
import { toNatural } from '../sidecar/state/int64.js'
import { show } from '../sidecar/state/show.js'
import { whyNot } from './match.js'
import type { AllocationChanges, CounterAction, GameServerAllocation, GameServerAllocationSpec } from './types.js'
import type { ListAction } from './types.js'

/** The GameServerAllocation of a spec that is still to be checked. */
export const newAllocation = (spec: object, platform = 'agones'): GameServerAllocation => ({
  apiVersion: `allocation.${platform}.dev/v1`,
  kind: 'GameServerAllocation',
  spec,
})

/** The GameServerAllocation of a short form. */
export const allocationBy = ({ labels, annotations, counters, lists }: AllocationChanges): GameServerAllocation => ({
  spec: {
    selectors: [{ gameServerState: 'Ready' }, { gameServerState: 'Allocated' }],
    metadata: { labels: labels ?? null, annotations: annotations ?? null },
    counters: counters ?? null,
    lists: lists ?? null,
  },
})

/** A GameServer as an allocator leaves it. */
interface Allocated {
  readonly object: GameServer
  /** A sentence about each skipped action: a cluster allocates nevertheless, and writes an event. */
  readonly skipped: readonly string[]
}

/** Allocates a GameServer by a checked allocation. Returns the reason if the allocation doesn't take it. */
export function allocate(
  object: GameServer,
  manifest: GameServerAllocation,
  platform: string,
  now: number,
): Allocated | string {
  const reason = whyNot(manifest, object)
  if (reason !== undefined) return reason
  const { metadata, counters, lists } = manifest.spec ?? {}
  const { object_meta: meta, status } = object
  const changed: GameServer = {
    ...object,
    object_meta: {
      ...meta,
      labels: merge(meta.labels, metadata?.labels),
      annotations: merge(meta.annotations, metadata?.annotations),
    },
    status: {
      ...status,
      ...(counters && { counters: changeEach(status.counters, counters, changeCounter) }),
      ...(lists && { lists: changeEach(status.lists, lists, changeList) }),
    },
  }
  return {
    object: withLastAllocated(withState(changed, 'Allocated'), platform, now),
    skipped: [...skippedOf('counter', counters, status.counters), ...skippedOf('list', lists, status.lists)],
  }
}

type Texts = Readonly<Record<string, string>> | null | undefined

const merge = (before: Texts, more: Texts): Record<string, string> =>
  sorted([...new Map([...Object.entries(before ?? {}), ...Object.entries(more ?? {})])])

/** Sets the capacity, then changes the count and clamps it to 0 and the capacity. */
function changeCounter(counter: CounterStatus, { action, amount, capacity }: CounterAction): CounterStatus {
  const change = BigInt(toNatural(amount ?? (action == null ? 0 : 1)) ?? 0)
  const count = String(BigInt(counter.count) + (action === 'Decrement' ? -change : change))
  return clampCounter({ count, capacity: toNatural(capacity) ?? counter.capacity })
}

/** Sets the capacity first, then adds values without duplicates, then deletes values. */
function changeList(list: ListStatus, action: ListAction): ListStatus {
  const capacity = toNatural(action.capacity) ?? list.capacity
  const values = [...new Set([...(list.values ?? []), ...(action.addValues ?? [])])].slice(0, Number(capacity))
  const deleted = new Set(action.deleteValues)
  return { capacity, values: values.filter((value) => !deleted.has(value)) }
}

/** A sentence about each action on a counter or list that isn't there, unless the action is empty. */
const skippedOf = (
  kind: 'counter' | 'list',
  actions: GameServerAllocationSpec['counters' | 'lists'],
  values: Readonly<Record<string, unknown>> | null | undefined,
): string[] =>
  Object.entries<CounterAction | ListAction>(actions ?? {})
    .filter(([name, action]) => own(values, name) === undefined && doesSomething(action))
    .map(([name]) => `The allocation's action on the ${kind} ${show(name)} has no effect: there is no such ${kind}.`)

const doesSomething = (action: CounterAction | ListAction): boolean =>
  Object.values(action).some((value: unknown) => value != null && !(Array.isArray(value) && value.length === 0))
