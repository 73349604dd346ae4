import type { CounterStatus, GameServer, ListStatus } from '../../../protocol/game-server.js'
import type { AllocationCounterAction, AllocationListAction } from './manifest.js'
import { changeEach, clampCounter, own, sorted, withLastAllocated, withState } from '../state/game-server-edits.js'
import { toNatural } from '../state/int64.js'
import { show } from '../state/show.js'

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
  const { counters = {}, lists = {} } = allocation
  const counter = missing(counters, object.status.counters)
  if (counter !== undefined) return `there is no counter called ${show(counter)}`
  const list = missing(lists, object.status.lists)
  if (list !== undefined) return `there is no list called ${show(list)}`
  const meta = object.object_meta
  const allocated = withState(
    {
      ...object,
      object_meta: {
        ...meta,
        labels: merge(meta.labels, allocation.labels),
        annotations: merge(meta.annotations, allocation.annotations),
      },
      status: {
        ...object.status,
        ...(allocation.counters && { counters: changeEach(object.status.counters, counters, changeCounter) }),
        ...(allocation.lists && { lists: changeEach(object.status.lists, lists, changeList) }),
      },
    },
    'Allocated',
  )
  return withLastAllocated(allocated, platform, now)
}

type Texts = Readonly<Record<string, string>> | null | undefined

function merge(before: Texts, more: Texts): Record<string, string> {
  return sorted([...new Map([...Object.entries(before ?? {}), ...Object.entries(more ?? {})])])
}

/** The name of the first action's target that doesn't exist. */
const missing = (actions: object, values: Readonly<Record<string, unknown>> | null | undefined): string | undefined =>
  Object.keys(actions).find((name) => own(values, name) === undefined)

/** Sets the capacity, then changes the count and clamps it to 0 and the capacity. */
function changeCounter(counter: CounterStatus, action: AllocationCounterAction): CounterStatus {
  const capacity = toNatural(action.capacity) ?? counter.capacity
  if (action.action == null && action.amount == null) return clampCounter({ count: counter.count, capacity })
  const amount = BigInt(toNatural(action.amount) ?? '1')
  const count = BigInt(counter.count) + (action.action === 'Decrement' ? -amount : amount)
  return clampCounter({ count: String(count), capacity })
}

/** Sets the capacity first, then adds values without duplicates, then deletes values. */
function changeList(list: ListStatus, action: AllocationListAction): ListStatus {
  const capacity = toNatural(action.capacity) ?? list.capacity
  const values = [...new Set([...(list.values ?? []), ...(action.addValues ?? [])])].slice(0, Number(capacity))
  const deleted = new Set(action.deleteValues)
  return { capacity, values: values.filter((value) => !deleted.has(value)) }
}
