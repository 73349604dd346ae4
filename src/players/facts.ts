import type { GameServer } from '../index.js'

/** What a GameServer says of one list, one counter and one label. */
export interface Facts {
  /** undefined before the first object */
  readonly state?: string
  /** undefined where it has none of that name, or none was asked for */
  readonly values?: ReadonlySet<string> | undefined
  readonly count?: number | undefined
  /** Of the list. */
  readonly room: number
  /** The least capacity of both. */
  readonly capacity: number
  /** What was asked for, and it lacks. */
  readonly missing?: 'list' | 'counter' | undefined
  readonly label?: string | undefined
  /** When it was last allocated. */
  readonly allocation?: string | undefined
  /** Rises by one with each write that changes more than metadata; NaN where nobody counts. */
  readonly generation: number
  readonly version?: string
}

/** What is known before the first object. */
export const NOTHING: Facts = { room: Infinity, capacity: Infinity, generation: NaN }

/** What is kept of a GameServer, and how. */
export interface Rules {
  readonly list?: string | undefined
  readonly counter?: string | undefined
  readonly label?: string | undefined
  /** The most of what is tracked, if the GameServer has room for it. */
  readonly limit: number
  /** Of sessions. */
  readonly thenShutdown?: number | 'last' | undefined
}

/** A count as the sidecar sends it; 0 where it makes no sense, so that nobody gets in by mistake. */
const toCount = (text: string): number => Number(text) || 0

/** The value of the key that ends so: in front of it stands the platform's name. */
const find = (map: Record<string, string> | null | undefined, end: string): string | undefined =>
  map?.[Object.keys(map).find((key) => key.endsWith(end))!]

export function factsOf({ status, object_meta: meta }: GameServer, { list, counter, label }: Rules): Facts {
  const seats = status.lists?.[list!]
  const counted = status.counters?.[counter!]
  const room = seats ? toCount(seats.capacity) : Infinity
  return {
    state: status.state,
    values: seats && new Set(seats.values),
    count: counted && toCount(counted.count),
    room,
    capacity: counted ? Math.min(room, toCount(counted.capacity)) : room,
    missing: list !== undefined && !seats ? 'list' : counter !== undefined && !counted ? 'counter' : undefined,
    label: find(meta.labels, `/sdk-${label}`),
    allocation: find(meta.annotations, '/last-allocated'),
    generation: parseInt(meta.generation),
    version: meta.resource_version,
  }
}
