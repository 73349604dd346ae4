import type { CounterStatus, GameServer, ListStatus } from '../../protocol/game-server.js'
import type { CommandOf, CounterAction, ListAction } from '../model/state/control-command.js'
import { withLastAllocated, withState } from '../model/state/game-server-edits.js'
import { lessThan, toInt64 } from '../model/state/int64.js'
import { own, sorted, withKey } from '../model/state/records.js'

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

/** Sets the capacity first, then moves the count and cuts it to the range from 0 to the capacity. */
function changeCounter(counter: CounterStatus, action: CounterAction): CounterStatus | string {
  let { count, capacity } = counter
  if (action.capacity !== undefined) {
    const wanted = toInt64(action.capacity)
    if (wanted === undefined || lessThan(wanted, '0')) return 'its capacity must be an integer of at least 0'
    capacity = wanted
  }
  if (action.action !== undefined || action.amount !== undefined) {
    const amount = toInt64(action.amount ?? 1)
    if (amount === undefined || lessThan(amount, '0')) return 'the amount must be an integer of at least 0'
    if (action.action !== undefined && action.action !== 'Increment' && action.action !== 'Decrement') {
      return 'the action must be Increment or Decrement'
    }
    const sum = BigInt(count) + (action.action === 'Decrement' ? -BigInt(amount) : BigInt(amount))
    count = (sum < 0n ? 0n : sum).toString()
  }
  return { count: lessThan(capacity, count) ? capacity : count, capacity }
}

/** Sets the capacity first, then adds values without duplicates, then deletes values. */
function changeList(list: ListStatus, action: ListAction): ListStatus | string {
  let { capacity } = list
  if (action.capacity !== undefined) {
    const wanted = toInt64(action.capacity)
    if (wanted === undefined || lessThan(wanted, '0') || lessThan('1000', wanted)) {
      return 'its capacity must be an integer from 0 to 1000'
    }
    capacity = wanted
  }
  const values = [...new Set([...(list.values ?? []), ...(action.addValues ?? [])])].slice(0, Number(capacity))
  const deleted = new Set(action.deleteValues ?? [])
  return { capacity, values: values.filter((value) => !deleted.has(value)) }
}
