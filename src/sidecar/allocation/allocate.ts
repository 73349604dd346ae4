import type { CounterStatus, GameServer, ListStatus } from '../../protocol/game-server.js'
import type { AllocationCounterAction, AllocationListAction } from './manifest.js'
import { sorted, withLastAllocated, withState } from '../model/state/game-server-edits.js'
import { lessThan, toNatural } from '../model/state/int64.js'
import { show } from '../model/state/show.js'

/** What is to be done to a GameServer. */
interface Allocation {
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly counters?: Readonly<Record<string, AllocationCounterAction>>
  readonly lists?: Readonly<Record<string, AllocationListAction>>
  readonly force?: boolean
}

/** The object as an allocator leaves it, or the reason why it can't be allocated. */
export function allocate(
  object: GameServer,
  allocation: Allocation,
  platform: string,
  now: number,
): GameServer | string {
  const { state } = object.status
  if (allocation.force !== true && state !== 'Ready' && state !== 'Allocated') {
    return `an allocator takes only Ready GameServers and this one is ${state || 'in no state'}`
  }
  const counters = applyActions(object.status.counters, allocation.counters, changeCounter)
  if (typeof counters === 'string') return `there is no counter called ${counters}`
  const lists = applyActions(object.status.lists, allocation.lists, changeList)
  if (typeof lists === 'string') return `there is no list called ${lists}`
  const meta = object.object_meta
  const allocated = withState(
    {
      ...object,
      object_meta: {
        ...meta,
        labels: merge(meta.labels, allocation.labels),
        annotations: merge(meta.annotations, allocation.annotations),
      },
      status: { ...object.status, ...(counters ? { counters } : {}), ...(lists ? { lists } : {}) },
    },
    'Allocated',
  )
  return withLastAllocated(allocated, platform, now)
}

type Texts = Readonly<Record<string, string>> | null | undefined

function merge(before: Texts, more: Texts): Record<string, string> {
  return sorted([...new Map([...Object.entries(before ?? {}), ...Object.entries(more ?? {})])])
}

/** The values after their actions, or the name of the first that doesn't exist. */
function applyActions<Value, Action>(
  values: Readonly<Record<string, Value>> | null | undefined,
  actions: Readonly<Record<string, Action>> = {},
  change: (value: Value, action: Action) => Value,
): Readonly<Record<string, Value>> | null | undefined | string {
  const named = Object.entries(actions)
  if (named.length === 0) return values
  const next = new Map(Object.entries(values ?? {}))
  for (const [name, action] of named) {
    const value = next.get(name)
    if (value === undefined) return show(name)
    next.set(name, change(value, action))
  }
  return Object.fromEntries(next)
}

/** Sets the capacity, then changes the count and clamps it to 0 and the capacity. */
function changeCounter(counter: CounterStatus, action: AllocationCounterAction): CounterStatus {
  const capacity = toNatural(action.capacity) ?? counter.capacity
  if (action.action == null && action.amount == null) return cutCount(counter.count, capacity)
  const amount = BigInt(toNatural(action.amount) ?? '1')
  const count = BigInt(counter.count) + (action.action === 'Decrement' ? -amount : amount)
  return cutCount(String(count), capacity)
}

function cutCount(count: string, capacity: string): CounterStatus {
  if (lessThan(capacity, count)) return { count: capacity, capacity }
  return { count: lessThan(count, '0') ? '0' : count, capacity }
}

/** Sets the capacity first, then adds values without duplicates, then deletes values. */
function changeList(list: ListStatus, action: AllocationListAction): ListStatus {
  const capacity = toNatural(action.capacity) ?? list.capacity
  const values = [...new Set([...(list.values ?? []), ...(action.addValues ?? [])])].slice(0, Number(capacity))
  const deleted = new Set(action.deleteValues)
  return { capacity, values: values.filter((value) => !deleted.has(value)) }
}
