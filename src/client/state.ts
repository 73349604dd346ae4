import { endReasonOf, type GameServer } from '../protocol/game-server.js'
import { lastAllocatedAnnotation, metadataPrefix } from '../protocol/names.js'
import { formatInteger, show } from './checks.js'
import type { Emitter } from './emitter.js'
import { named, SidecarError } from './errors.js'
import type { ClientOptions } from './options.js'
import type { AllocatedEvent, Counter, EndingEvent, EndReason, List, SidecarEvents } from './types.js'

/** A map's own value for a key, never an inherited one: keys such as `__proto__` come from outside. */
export function own<T>(map: Record<string, T> | null | undefined, key: string): T | undefined {
  return map && {}.hasOwnProperty.call(map, key) ? map[key] : undefined
}

/** Whether two values of JSON are the same. Every sidecar writes the keys of an object in one order. */
export function equal(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

/**
 * Whether a GameServer tells something new after the last one seen: it differs, and it isn't an older state of the same
 * object. The sidecar's local mode never changes the version, so each of its objects counts as new.
 */
function isNews(last: GameServer | undefined, next: GameServer): boolean {
  if (!last) return true
  const { object_meta: a } = last
  const { object_meta: b } = next
  const growth = Number(b.resource_version) - Number(a.resource_version)
  return growth && a.uid === b.uid && a.creation_timestamp === b.creation_timestamp ? growth > 0 : !equal(last, next)
}

/** Whether a watch would have shown the difference: in local mode, it shows no counters or lists. */
export function isShownByWatch(last: GameServer, next: GameServer): boolean {
  return !equal(last.object_meta, next.object_meta) || last.status.state !== next.status.state
}

/** The error for a final state. */
export function lostGameServer(state: string): SidecarError {
  return new SidecarError('UNAVAILABLE', `This GameServer is ${state}`, { hint: 'End the process' })
}

/**
 * ms that a GameServer has once it is being deleted: the default of a pod's `terminationGracePeriodSeconds`. The sidecar
 * doesn't tell the pod's own.
 */
const GRACE = 30000

export type State = ReturnType<typeof createState>

/** What is known of this GameServer, in the order in which the platform wrote it, and the events that tell it. */
export function createState(emitter: Emitter<SidecarEvents>, resources: Resources, platform: string) {
  const prefix = metadataPrefix(platform)
  const emitChanges = createChanges(resources, prefix, lastAllocatedAnnotation(platform))
  const followers = new Set<(gameServer: GameServer) => void>()
  let results: readonly unknown[] = []

  const state = {
    emit: emitter.emit,
    has: emitter.has,
    off: emitter.off,
    clear: emitter.clear,
    /** The prefix of keys of labels and annotations that were set through the sidecar. */
    prefix,
    /** The last GameServer seen. */
    last: undefined as GameServer | undefined,
    /** The `ending` event, once it is known. */
    ending: undefined as EndingEvent | undefined,

    /** Takes a GameServer unless it is stale or unchanged. Returns whether it was taken. */
    offer(gameServer: GameServer): boolean {
      const previous = state.last
      if (!isNews(previous, gameServer)) return false
      state.last = gameServer
      emitChanges(previous, gameServer, emitter)
      const reason = endReasonOf(gameServer)
      if (reason) state.end(reason, Date.now() + GRACE)
      followers.forEach((look) => look(gameServer))
      return true
    },

    /** Calls a function with the last GameServer and each later one. Returns the unsubscribe function. */
    follow(look: (gameServer: GameServer) => void): () => void {
      followers.add(look)
      if (state.last) look(state.last)
      return () => void followers.delete(look)
    },

    /**
     * Tells `ending` once, from whichever source reports it first. Returns what its listeners returned.
     *
     * @param deadline ms since the Unix epoch
     */
    end(reason: EndReason, deadline: number): readonly unknown[] {
      if (!state.ending) {
        state.ending = { reason, deadline, gameServer: state.last }
        results = state.emit('ending', state.ending)
      }
      return results
    },

    /** Adds a listener, and tells it the present state. */
    on<T extends keyof SidecarEvents>(
      type: T,
      listener: (event: SidecarEvents[T]) => void,
      context?: unknown,
    ): () => void {
      const { last, ending } = state
      const isEnding = type === 'ending'
      const replay = (call: (event: SidecarEvents[T]) => void): void =>
        isEnding
          ? call(ending as never)
          : emitChanges(undefined, state.last!, {
              emit: (name, event) => {
                if (name === (type as string)) call(event as never)
              },
              has: (name) => name === type,
            })
      const isLate = DERIVED.includes(type) && (isEnding ? ending : last)
      return emitter.on(type, listener, context, isLate ? replay : undefined)
    },
  }
  return state
}

declare const BigInt: (text: string) => unknown

export type Resources = ReturnType<typeof createResources>

/**
 * Turns counters and lists from the sidecar's form into the user's. Both functions throw a SidecarError: `PROTOCOL` for
 * a malformed value, `UNSAFE_INTEGER` if a number can't hold it exactly.
 */
export function createResources(int64: NonNullable<ClientOptions['int64']>) {
  function toInteger(value: unknown): number {
    const text = formatInteger(value)
    if (text === undefined) throw new SidecarError('PROTOCOL', `${show(value)} is not an integer`)
    if (int64 === 'bigint') return BigInt(text) as number
    const number = Number(text)
    if (Number.isSafeInteger(number)) return number
    throw new SidecarError('UNSAFE_INTEGER', `A number cannot hold ${text} exactly`)
  }

  return {
    toCounter(name: string, raw: object): Counter {
      const { count, capacity } = raw as Record<string, unknown>
      return { name, count: toInteger(count), capacity: toInteger(capacity) }
    },

    toList(name: string, raw: object): List {
      const { capacity, values } = raw as Record<string, unknown>
      const list: unknown = values || []
      if (!Array.isArray(list) || list.some((value) => typeof value !== 'string'))
        throw new SidecarError('PROTOCOL', `${show(list)} is not a list`)
      return { name, capacity: toInteger(capacity), values: list as string[] }
    },
  }
}

const DETAILS = ['label', 'annotation', 'counter', 'list'] as const
type Detail = (typeof DETAILS)[number]

/** The events that are derived from one GameServer and the next. */
export const DERIVED = (DETAILS as readonly string[]).concat('gameserver', 'state', 'allocated', 'ending')

/** Receives the events of changes. */
interface ChangeListener {
  emit<T extends keyof SidecarEvents>(type: T, event: SidecarEvents[T]): void
  /** Whether an event has a listener: events without one aren't derived. */
  has(type: string): boolean
}

/** The event of any detail. */
interface Change {
  key?: string
  value?: string | undefined
  name?: string
  count?: number
  previous?: Counter | string | undefined
  added?: string[]
}

/** Stands for a counter or list that isn't there. */
export const GONE = { count: '0', capacity: '0' }

/**
 * Returns the function that emits what changed from one GameServer to the next; for the first, everything that it holds.
 *
 * @param prefix stands before labels and annotations that were set through the sidecar
 * @param lastAllocated the annotation that holds the time of the last allocation
 */
function createChanges({ toCounter, toList }: Resources, prefix: string, lastAllocated: string) {
  function toEvent<T>(type: Detail, key: string, now: T | undefined, before: T | undefined): Change {
    if (type === 'counter')
      return Object.assign(toCounter(key, now ?? GONE), { previous: before && toCounter(key, before) })
    if (type === 'list') {
      const list = toList(key, now ?? GONE)
      const { values } = toList(key, before ?? GONE)
      return Object.assign(list, { added: without(list.values, values), removed: without(values, list.values) })
    }
    return { key: key.startsWith(prefix) ? key.slice(prefix.length) : key, value: now, previous: before } as Change
  }

  const timeOf = (gameServer?: GameServer): unknown => own(gameServer?.object_meta.annotations, lastAllocated)

  return (previous: GameServer | undefined, next: GameServer, { emit, has }: ChangeListener): void => {
    /** @param about the operation of an error */
    function forEachChange(type: Detail, about: string, call: (change: Change) => void): void {
      const before = mapIn(previous, type)
      const now = mapIn(next, type)
      for (const key of new Set(Object.keys(now).concat(Object.keys(before)))) {
        const [value, old] = [own(now, key), own(before, key)]
        if (equal(value, old)) continue
        try {
          call(toEvent(type, key, value, old))
        } catch (error) {
          // One integer that is too large must not hide the other changes.
          emit('error', named(error as SidecarError, about))
        }
      }
    }

    const { state } = next.status
    const oldState = previous?.status.state
    emit('gameserver', next)
    if (oldState !== state) {
      emit('state', { state, previous: oldState, gameServer: next })
      if (state === 'Unhealthy') emit('error', lostGameServer(state))
    }
    const time = timeOf(next)
    // An Allocated server can be allocated again: the time changes. Removing the time is no allocation.
    const isAllocation = state === 'Allocated' && (oldState !== state || (!!time && time !== timeOf(previous)))
    if (isAllocation && has('allocated')) {
      const event: AllocatedEvent = { gameServer: next, labels: {}, annotations: {}, counters: {}, lists: {} }
      for (const type of DETAILS)
        forEachChange(type, 'allocated', (change) => {
          const value = gainOf(change)
          // Keys such as `__proto__` come from outside, and an assignment would set the prototype.
          if (value !== undefined)
            Object.defineProperty(event[`${type}s`], (change.name ?? change.key)!, {
              value,
              enumerable: true,
              writable: true,
              configurable: true,
            })
        })
      emit('allocated', event)
    }
    for (const type of DETAILS) if (has(type)) forEachChange(type, type, (change) => emit(type, change as never))
  }
}

/** The labels, annotations, counters or lists of a GameServer. */
function mapIn(gameServer: GameServer | undefined, type: Detail): Record<string, object | string> {
  const { object_meta, status }: Partial<GameServer> = gameServer ?? {}
  return Object.assign({}, object_meta, status)[`${type}s`] ?? {}
}

/** What a change adds, in the form of the `allocated` event; undefined: nothing. */
function gainOf({ value, count, previous, added }: Change): unknown {
  if (added) return added.length ? added : undefined
  return count === undefined ? value : (previous ? count - (previous as Counter).count : count) || undefined
}

function without(all: string[], some: string[]): string[] {
  return all.filter((value) => !some.includes(value))
}
