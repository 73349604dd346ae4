import type { Core } from '../client/core.js'
import { fail, toSidecarError, type Subject } from '../client/errors.js'
import { toCounter, toList } from '../client/resources.js'
import type { SidecarEvents } from '../client/types.js'
import { metadataPrefix } from '../protocol/names.js'
import type { GameServer, ListStatus } from '../protocol/game-server.js'

export type Emit = <T extends keyof SidecarEvents>(type: T, event: SidecarEvents[T]) => void
type Map<T> = Record<string, T> | null | undefined

/** The member of a map under a key, and nothing inherited: keys such as `__proto__` come from outside. */
export function own<T>(map: Map<T>, key: string): T | undefined {
  return map && {}.hasOwnProperty.call(map, key) ? map[key] : undefined
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

const endOfCalls = 'The sidecar ignores state calls now: end the process.'

/**
 * Emits what changed from one object to the next; with nothing before, everything there is. What nobody listens to isn't
 * looked for.
 */
export function emitChanges(
  core: Core,
  previous: GameServer | undefined,
  gameServer: GameServer,
  emit: Emit,
  has: (type: keyof SidecarEvents) => boolean,
): void {
  const { object_meta: meta, status } = gameServer
  const { object_meta: oldMeta, status: old } = previous || ({ object_meta: {}, status: {} } as GameServer)
  const prefix = metadataPrefix(core._platform)
  emit('gameserver', gameServer)
  const { state } = status
  if (old.state !== state) {
    emit('state', { state, previous: old.state, gameServer })
    if (state === 'Unhealthy') emit('error', fail('UNAVAILABLE', 'This GameServer is Unhealthy', undefined, endOfCalls))
  }

  function each<T>(
    type: 'label' | 'annotation' | 'counter' | 'list',
    before: Map<T>,
    after: Map<T>,
    describe: (key: string, now: T | undefined, previous: T | undefined, subject: Subject) => object,
  ): void {
    if (!has(type) || equal(before, after)) return
    const subject = { _operation: type }
    const keys = Object.keys(after || {})
    keys.concat(Object.keys(before || {}).filter((key) => own(after, key) === undefined)).forEach((key) => {
      const now = own(after, key)
      const was = own(before, key)
      try {
        if (!equal(now, was)) emit(type, describe(key, now, was, subject) as never)
      } catch (error) {
        // One number too large says nothing about the rest.
        emit('error', toSidecarError(error, 'PROTOCOL', 'Not a GameServer', subject))
      }
    })
  }

  const metadata = (key: string, value: string | undefined, was: string | undefined): object => ({
    key: key.indexOf(prefix) ? key : key.slice(prefix.length),
    value,
    previous: was,
  })
  each('label', oldMeta.labels, meta.labels, metadata)
  each('annotation', oldMeta.annotations, meta.annotations, metadata)

  each('counter', old.counters, status.counters, (name, now, was, subject) => {
    const counter = (raw: object) => toCounter(core, subject, name, raw)
    return Object.assign(counter(now || { count: 0, capacity: 0 }), { previous: was && counter(was) })
  })

  each('list', old.lists, status.lists, (name, now, was, subject) => {
    const list = (raw: ListStatus = { capacity: '0' }) => toList(core, subject, name, raw)
    const without = (all: string[], some: string[]): string[] => {
      const set = new Set(some)
      return all.filter((value) => !set.has(value))
    }
    const { values } = list(was)
    const event = list(now)
    return Object.assign(event, { added: without(event.values, values), removed: without(values, event.values) })
  })
}
