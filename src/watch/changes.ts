import { fail, isSidecarError } from '../client/errors.js'
import type { ParseInteger } from '../client/integers.js'
import type { SidecarEvents } from '../client/types.js'
import type { CounterStatus, GameServer, ListStatus } from '../protocol/game-server.js'

export type Emit = <T extends keyof SidecarEvents>(type: T, event: SidecarEvents[T]) => void
type Map<T> = Record<string, T> | null | undefined

/** The member of a map under a key, and nothing inherited: keys such as `__proto__` come from outside. */
export function own<T>(map: Map<T>, key: string): T | undefined {
  return map && Object.prototype.hasOwnProperty.call(map, key) ? map[key] : undefined
}

/** Whether two values of JSON are the same, in any order of their keys. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b || !a || !b || typeof a !== 'object') return a === b
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => equal(own(a as Map<unknown>, key), own(b as Map<unknown>, key)))
  )
}

/** Emits what changed from one object to the next; with nothing before, everything there is. */
export function emitChanges(
  previous: GameServer | undefined,
  gameServer: GameServer,
  prefix: string,
  parseInteger: ParseInteger,
  emit: Emit,
): void {
  const { object_meta: meta, status } = gameServer
  const { object_meta: oldMeta, status: old } = previous || ({ object_meta: {}, status: {} } as GameServer)
  emit('gameserver', gameServer)
  if (old.state !== status.state) emit('state', { state: status.state, previous: old.state, gameServer })

  function each<T>(
    before: Map<T>,
    after: Map<T>,
    visit: (key: string, now: T | undefined, previous: T | undefined) => void,
  ): void {
    new Set(Object.keys(before || {}).concat(Object.keys(after || {}))).forEach((key) => {
      const now = own(after, key)
      const was = own(before, key)
      try {
        if (!equal(now, was)) visit(key, now, was)
      } catch (error) {
        // One number too large says nothing about the rest.
        emit('error', isSidecarError(error) ? error : fail('PROTOCOL', 'Not a GameServer', '', error))
      }
    })
  }

  const metadata = (type: 'label' | 'annotation', before: Map<string>, after: Map<string>): void =>
    each(before, after, (key, value, was) =>
      emit(type, { key: key.indexOf(prefix) ? key : key.slice(prefix.length), value, previous: was }),
    )
  metadata('label', oldMeta.labels, meta.labels)
  metadata('annotation', oldMeta.annotations, meta.annotations)

  const counter = (name: string, { count, capacity }: CounterStatus) => ({
    name,
    count: parseInteger(count, 'counter'),
    capacity: parseInteger(capacity, 'counter'),
  })
  each(old.counters, status.counters, (name, now, was) =>
    emit(
      'counter',
      Object.assign(counter(name, now || { count: '0', capacity: '0' }), { previous: was && counter(name, was) }),
    ),
  )

  const none: ListStatus = { capacity: '0' }
  each(old.lists, status.lists, (name, now = none, was = none) => {
    const values = now.values || []
    const oldValues = was.values || []
    const without = (all: string[], some: string[]): string[] => {
      const set = new Set(some)
      return all.filter((value) => !set.has(value))
    }
    emit('list', {
      name,
      capacity: parseInteger(now.capacity, 'list'),
      values,
      added: without(values, oldValues),
      removed: without(oldValues, values),
    })
  })
}
