import type { CounterStatus, GameServer, GameServerStatus, ListStatus, ObjectMeta } from '../../protocol/game-server.js'
import { named, toSidecarError } from '../runtime/errors.js'
import type { Emit } from '../runtime/emitter.js'
import type { SidecarEvents } from '../types.js'
import { allocatedEvent, collect, showsAllocation } from './allocation.js'
import { equal, lostGameServer, own } from './game-server.js'
import type { Resources } from './resources.js'

type JsonMap<T> = Record<string, T> | null | undefined
type Detail = 'label' | 'annotation' | 'counter' | 'list'

/** The events that are derived from one GameServer and the next. */
export const DERIVED = 'gameserver state allocated ending label annotation counter list'.split(' ')

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
export function createChanges({ toCounter, toList }: Resources, prefix: string, lastAllocated: string): TellChanges {
  const toMetadata = (key: string, value: string | undefined, previous: string | undefined): object => ({
    key: key.startsWith(prefix) ? key.slice(prefix.length) : key,
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

    /** @param operation what an error is about, where it isn't the detail itself */
    function tellDetails(
      wanted: ChangeListener['has'],
      tell: <T extends Detail>(type: T, event: SidecarEvents[T]) => void,
      operation?: string,
    ): void {
      function tellEach<T>(
        type: Detail,
        before: JsonMap<T>,
        now: JsonMap<T>,
        toEvent: (key: string, now: T | undefined, before: T | undefined) => object,
      ): void {
        if (!wanted(type)) return
        for (const key of changedKeys(before, now))
          try {
            tell(type, toEvent(key, own(now, key), own(before, key)) as never)
          } catch (error) {
            // One number too large says nothing about the rest.
            const about = operation || type
            emit('error', named(toSidecarError(error, 'PROTOCOL', `The ${about} makes no sense`), about))
          }
      }
      tellEach('label', labels, meta.labels, toMetadata)
      tellEach('annotation', annotations, meta.annotations, toMetadata)
      tellEach('counter', counters, status.counters, toCounterEvent)
      tellEach('list', lists, status.lists, toListEvent)
    }

    if (has('allocated') && showsAllocation(previous, next, lastAllocated)) {
      const event = allocatedEvent(next)
      tellDetails(
        () => true,
        (type, detail) => collect(event, type, detail),
        'allocated',
      )
      emit('allocated', event)
    }
    tellDetails(has, emit)
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
