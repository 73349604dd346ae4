import type { SidecarError } from '../client/errors.js'
import type { SidecarEvents } from '../client/types.js'
import type { CounterStatus, GameServer, ListStatus } from '../protocol/game-server.js'

type Emit = <T extends keyof SidecarEvents>(type: T, event: SidecarEvents[T]) => void
type ParseInteger = (text: unknown, operation: string) => number

/** The member of a map under a key, and nothing inherited: keys such as `__proto__` come from outside. */
function own<T>(map: Record<string, T> | null | undefined, key: string): T | undefined {
  return map && Object.prototype.hasOwnProperty.call(map, key) ? map[key] : undefined
}

function eachChange<T>(
  before: Record<string, T> | null | undefined,
  after: Record<string, T> | null | undefined,
  emit: Emit,
  visit: (key: string, now: T | undefined, previous: T | undefined) => void,
): void {
  new Set(Object.keys(before ?? {}).concat(Object.keys(after ?? {}))).forEach((key) => {
    const now = own(after, key)
    const previous = own(before, key)
    try {
      if (!equal(now, previous)) visit(key, now, previous)
    } catch (error) {
      emit('error', error as SidecarError) // one number too large says nothing about the rest
    }
  })
}

/** Whether two values of JSON are the same, in any order of their keys. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => equal((a as Record<string, unknown>)[key], own(b as Record<string, unknown>, key)))
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
  const before = previous ?? ({ object_meta: {}, status: {} } as GameServer)
  const { object_meta: meta, status } = gameServer
  emit('gameserver', gameServer)
  if (before.status.state !== status.state)
    emit('state', { state: status.state, previous: before.status.state, gameServer })

  const metadata =
    (type: 'label' | 'annotation') =>
    (key: string, value: string | undefined, old: string | undefined): void =>
      emit(type, {
        key: key.indexOf(prefix) ? key : key.slice(prefix.length),
        value,
        previous: old,
      })
  eachChange(before.object_meta.labels, meta.labels, emit, metadata('label'))
  eachChange(before.object_meta.annotations, meta.annotations, emit, metadata('annotation'))

  const counter = (name: string, { count, capacity }: CounterStatus) => ({
    name,
    count: parseInteger(count, 'counter'),
    capacity: parseInteger(capacity, 'counter'),
  })
  const none: CounterStatus = { count: '0', capacity: '0' }
  eachChange(before.status.counters, status.counters, emit, (name, now, old) =>
    emit('counter', { ...counter(name, now ?? none), previous: old && counter(name, old) }),
  )

  eachChange<ListStatus>(before.status.lists, status.lists, emit, (name, now, old) => {
    const values = (now && now.values) ?? []
    const oldValues = (old && old.values) ?? []
    emit('list', {
      name,
      capacity: parseInteger(now && now.capacity, 'list'),
      values,
      added: without(values, oldValues),
      removed: without(oldValues, values),
    })
  })
}

function without(values: string[], others: string[]): string[] {
  const set = new Set(others)
  return values.filter((value) => !set.has(value))
}
