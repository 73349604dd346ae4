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

export function factsOf({ status }: GameServer, list: string | undefined, counter: string | undefined): Facts {
  const seats = status.lists?.[list!]
  const counted = status.counters?.[counter!]
  const room = seats ? Number(seats.capacity) : Infinity
  return {
    values: seats && new Set(seats.values ?? []),
    count: counted && Number(counted.count),
    room,
    capacity: counted ? Math.min(room, Number(counted.capacity)) : room,
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
