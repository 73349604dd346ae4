import type { CounterStatus, GameServer, ListStatus } from '../../protocol/game-server.js'
import type { CommandOf, CounterAction, ListAction } from '../model/state/control-command.js'
import { withLastAllocated, withState } from '../model/state/game-server-edits.js'
import { lessThan } from '../model/state/int64.js'
import { own, sorted, withKey } from '../model/state/records.js'
import { isObject, isTexts, mustBe, toNatural } from './check-field.js'

/** The highest capacity that an allocation can give a list. */
const highestListCapacity = '1000'

/** The object as an allocator leaves it, or the reason why it can't be allocated. */
export function allocate(
  object: GameServer,
  allocation: CommandOf<'allocate'>,
  platform: string,
  now: number,
): GameServer | string {
  const { state } = object.status
  if (allocation.force !== true && state !== 'Ready' && state !== 'Allocated') {
    return `an allocator takes only Ready GameServers and this one is ${state || 'in no state'}`
  }
  const problem = problemOf(allocation)
  if (problem !== undefined) return problem
  let { counters, lists } = object.status
  for (const [name, action] of Object.entries(allocation.counters ?? {})) {
    const counter = own(counters, name)
    if (!counter) return `there is no counter called ${JSON.stringify(name)}`
    const next = changeCounter(counter, action)
    if (typeof next === 'string') return `counter ${JSON.stringify(name)}: ${next}`
    counters = withKey(counters, name, next)
  }
  for (const [name, action] of Object.entries(allocation.lists ?? {})) {
    const list = own(lists, name)
    if (!list) return `there is no list called ${JSON.stringify(name)}`
    const next = changeList(list, action)
    if (typeof next === 'string') return `list ${JSON.stringify(name)}: ${next}`
    lists = withKey(lists, name, next)
  }
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

function problemOf({
  labels = {},
  annotations = {},
  counters = {},
  lists = {},
}: CommandOf<'allocate'>): string | undefined {
  for (const [field, record] of Object.entries({ labels, annotations })) {
    if (!isObject(record) || !isTexts(Object.values(record))) return mustBe(field, 'an object of strings', record)
  }
  for (const [field, record] of Object.entries({ counters, lists })) {
    if (!isObject(record) || !Object.values(record).every(isObject))
      return mustBe(field, 'an object of objects', record)
  }
  return undefined
}

/** Sets the capacity first, then moves the count and cuts it to the range from 0 to the capacity. */
function changeCounter(counter: CounterStatus, action: CounterAction): CounterStatus | string {
  const capacity = toNatural(action.capacity ?? counter.capacity)
  if (capacity === undefined) return mustBe('capacity', 'an integer of at least 0', action.capacity)
  if (action.action === undefined && action.amount === undefined) return cutCount(counter.count, capacity)
  const amount = toNatural(action.amount ?? 1)
  if (amount === undefined) return mustBe('amount', 'an integer of at least 0', action.amount)
  const { action: direction = 'Increment' } = action
  if (direction !== 'Increment' && direction !== 'Decrement') {
    return mustBe('action', '"Increment" or "Decrement"', direction)
  }
  const count = BigInt(counter.count) + (direction === 'Increment' ? BigInt(amount) : -BigInt(amount))
  return cutCount(String(count), capacity)
}

function cutCount(count: string, capacity: string): CounterStatus {
  if (lessThan(capacity, count)) return { count: capacity, capacity }
  return { count: lessThan(count, '0') ? '0' : count, capacity }
}

/** Sets the capacity first, then adds values without duplicates, then deletes values. */
function changeList(list: ListStatus, action: ListAction): ListStatus | string {
  const capacity = toNatural(action.capacity ?? list.capacity)
  if (capacity === undefined || (action.capacity !== undefined && lessThan(highestListCapacity, capacity))) {
    return mustBe('capacity', `an integer from 0 to ${highestListCapacity}`, action.capacity)
  }
  const { addValues = [], deleteValues = [] } = action
  if (!isTexts(addValues)) return mustBe('addValues', 'a list of strings', addValues)
  if (!isTexts(deleteValues)) return mustBe('deleteValues', 'a list of strings', deleteValues)
  const values = [...new Set([...(list.values ?? []), ...addValues])].slice(0, Number(capacity))
  const deleted = new Set(deleteValues)
  return { capacity, values: values.filter((value) => !deleted.has(value)) }
}
