import type { GameServer } from '../../protocol/game-server.js'
import type { AllocatedEvent, SidecarEvents } from '../types.js'
import { own } from './game-server.js'

/** A map without inherited members, since its keys come from outside. */
const createMap = <T>(): Record<string, T> => Object.create(null) as Record<string, T>

/**
 * Whether an object shows an allocation that the one before didn't: a server that is Allocated already can be allocated
 * again, and then only the time of its last allocation changes.
 *
 * @param annotation the name of the annotation that holds that time
 */
export function showsAllocation(previous: GameServer | undefined, next: GameServer, annotation: string): boolean {
  const timeOf = ({ object_meta: { annotations } }: GameServer): unknown => own(annotations, annotation)
  const time = timeOf(next)
  // Somebody may take the annotation away, which is no allocation.
  return (
    next.status.state === 'Allocated' &&
    (previous?.status.state !== 'Allocated' || (time !== undefined && time !== timeOf(previous)))
  )
}

/** An allocation with which nothing came yet. */
export const allocatedEvent = (gameServer: GameServer): AllocatedEvent => ({
  gameServer,
  labels: createMap(),
  annotations: createMap(),
  counters: createMap(),
  lists: createMap(),
})

type Details = Pick<SidecarEvents, 'label' | 'annotation' | 'counter' | 'list'>

/** Adds a change that came with an allocation. */
export function collect<T extends keyof Details>(into: AllocatedEvent, type: T, detail: Details[T]): void {
  if (type === 'counter') {
    const { name, count, previous } = detail as Details['counter']
    const difference = previous ? count - previous.count : count
    if (difference) into.counters[name] = difference
  } else if (type === 'list') {
    const { name, added } = detail as Details['list']
    if (added.length) into.lists[name] = added
  } else {
    const { key, value } = detail as Details['label']
    if (value !== undefined) into[`${type}s`][key] = value
  }
}
