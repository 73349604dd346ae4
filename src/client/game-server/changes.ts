import type { CounterStatus, GameServer, GameServerStatus, ListStatus, ObjectMeta } from '../../protocol/game-server.js'
import { named, toSidecarError } from '../runtime/errors.js'
import type { Emit } from '../runtime/emitter.js'
import type { SidecarEvents } from '../types.js'
import { allocatedEvent, showsAllocation } from './allocation.js'
import { equal, lostGameServer, own } from './game-server.js'
import type { Resources } from './resources.js'

type JsonMap<T> = Record<string, T> | null | undefined
type Detail = 'label' | 'annotation' | 'counter' | 'list'

/** The events that are derived from one GameServer and the next. */
export function isDerived(type: keyof SidecarEvents): boolean {
  return DERIVED.includes(type)
}

const DERIVED: readonly (keyof SidecarEvents)[] = [
  'gameserver',
  'state',
  'allocated',
  'ending',
  'label',
  'annotation',
  'counter',
  'list',
]

export interface ChangeListener {
  readonly emit: Emit
  /** Nothing is looked for that nobody listens to. */
  has(type: keyof SidecarEvents): boolean
}

/** Tells what changed from one GameServer to the next; after none, everything there is. */
export type TellChanges = (previous: GameServer | undefined, next: GameServer, to: ChangeListener) => void

/**
 * @param prefix stands before labels and annotations that were set through the sidecar
 * @param lastAllocated the annotation that holds the time of the last allocation
 */
export function createChanges(resources: Resources, prefix: string, lastAllocated: string): TellChanges {
  const { toCounter, toList } = resources
  const toKey = (key: string): string => (key.startsWith(prefix) ? key.slice(prefix.length) : key)
  const toMetadata = (key: string, value: string | undefined, previous: string | undefined): object => ({
    key: toKey(key),
    value,
    previous,
  })

  function toCounterEvent(name: string, now: CounterStatus | undefined, before: CounterStatus | undefined): object {
    const gone = { count: '0', capacity: '0' }
    return Object.assign(toCounter(name, now ?? gone), { previous: before && toCounter(name, before) })
  }

  function toListEvent(name: string, now: ListStatus | undefined, before: ListStatus | undefined): object {
    const gone = { capacity: '0' }
    const list = toList(name, now ?? gone)
    const { values } = toList(name, before ?? gone)
    return Object.assign(list, { added: without(list.values, values), removed: without(values, list.values) })
  }

  return (previous, next, { emit, has }) => {
    const { object_meta: meta, status } = next
    const { object_meta: oldMeta, status: oldStatus }: Partial<GameServer> = previous ?? {}
    const { state: oldState, counters, lists }: Partial<GameServerStatus> = oldStatus ?? {}
    const { labels, annotations }: Partial<ObjectMeta> = oldMeta ?? {}
    emit('gameserver', next)
    if (oldState !== status.state) {
      emit('state', { state: status.state, previous: oldState, gameServer: next })
      if (status.state === 'Unhealthy') emit('error', lostGameServer(status.state))
    }

    /** One number too large says nothing about the rest. */
    function attempt(type: Detail | 'allocated', run: () => void): void {
      try {
        run()
      } catch (error) {
        emit('error', named(toSidecarError(error, 'PROTOCOL', `The ${type} makes no sense`), type))
      }
    }

    if (has('allocated') && showsAllocation(previous, next, lastAllocated))
      emit(
        'allocated',
        allocatedEvent(previous, next, resources, toKey, (run) => attempt('allocated', run)),
      )

    function tellEach<T>(
      type: Detail,
      before: JsonMap<T>,
      now: JsonMap<T>,
      toEvent: (key: string, now: T | undefined, before: T | undefined) => object,
    ): void {
      if (!has(type)) return
      for (const key of changedKeys(before, now))
        attempt(type, () => emit(type, toEvent(key, own(now, key), own(before, key)) as never))
    }
    tellEach('label', labels, meta.labels, toMetadata)
    tellEach('annotation', annotations, meta.annotations, toMetadata)
    tellEach('counter', counters, status.counters, toCounterEvent)
    tellEach('list', lists, status.lists, toListEvent)
  }
}

function changedKeys<T>(before: JsonMap<T>, now: JsonMap<T>): string[] {
  const removed = Object.keys(before ?? {}).filter((key) => own(now, key) === undefined)
  return Object.keys(now ?? {})
    .concat(removed)
    .filter((key) => !equal(own(now, key), own(before, key)))
}

function without(all: string[], some: string[]): string[] {
  const set = new Set(some)
  return all.filter((value) => !set.has(value))
}
