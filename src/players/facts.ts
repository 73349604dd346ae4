import type { GameServer } from '../index.js'

/** What a GameServer says of one list and one counter. */
export interface Facts {
  /** undefined where it has none of that name, or none was asked for */
  readonly values: ReadonlySet<string> | undefined
  readonly count: number | undefined
  /** Of the list. */
  readonly room: number
  /** The least capacity of both. */
  readonly capacity: number
}

type JsonMap<T> = Record<string, T> | null | undefined

/** The member of a map under a name, and nothing inherited. */
function own<T extends object>(map: JsonMap<T>, name: string | undefined): Partial<T> | undefined {
  return map && {}.hasOwnProperty.call(map, name!) ? map[name!] : undefined
}

/** A count as the sidecar sends it; 0 where it makes no sense, so that nobody gets in by mistake. */
const toCount = (text: string | undefined): number => Number(text) || 0

export function factsOf({ status }: GameServer, list: string | undefined, counter: string | undefined): Facts {
  const seats = own(status.lists, list)
  const counted = own(status.counters, counter)
  const values: unknown = seats?.values
  const room = seats ? toCount(seats.capacity) : Infinity
  return {
    values: seats && new Set(Array.isArray(values) ? values.filter((value) => typeof value === 'string' && value) : []),
    count: counted && toCount(counted.count),
    room,
    capacity: counted ? Math.min(room, toCount(counted.capacity)) : room,
  }
}

/** Whether an object is an older state of the same one: a read and the watch may overtake each other. */
export function isOlder({ object_meta: a }: GameServer, { object_meta: b }: GameServer): boolean {
  return a.uid === b.uid && Number(a.resource_version) < Number(b.resource_version)
}

/** Says which allocation an object holds. */
export function allocatedAt(gameServer: GameServer | undefined): string | undefined {
  const annotations = gameServer?.object_meta.annotations ?? {}
  const key = Object.keys(annotations).find((name) => /\/last-allocated$/.test(name))
  return key && annotations[key]
}
