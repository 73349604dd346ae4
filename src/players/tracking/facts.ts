import type { GameServer } from '../../index.js'

/** The tracked state of a GameServer: one list, one counter and one label. */
export interface Facts {
  /** undefined before the first object */
  readonly state?: string
  /** The list's values; undefined if the GameServer lacks the list, or no list is tracked */
  readonly values?: ReadonlySet<string> | undefined
  readonly count?: number | undefined
  /** The list's capacity. */
  readonly room: number
  /** The smaller capacity of list and counter. */
  readonly capacity: number
  /** The tracked kind that the GameServer lacks. */
  readonly missing?: 'list' | 'counter' | undefined
  readonly label?: string | undefined
  /** Time of the last allocation. */
  readonly allocation?: string | undefined
  /** Grows by one with each write that changes more than metadata; NaN if the platform doesn't count. */
  readonly generation: number
  readonly version?: string
}

/** The facts before the first object. */
export const NOTHING: Facts = { room: Infinity, capacity: Infinity, generation: NaN }

/** What is tracked of a GameServer, and within which limits. */
export interface Rules {
  readonly list?: string | undefined
  readonly counter?: string | undefined
  readonly label?: string | undefined
  /** Upper limit of players or sessions, below the GameServer's own capacity. */
  readonly limit: number
  /** Only for sessions. */
  readonly thenShutdown?: number | 'last' | undefined
}

/** Parses a count of the sidecar. A malformed count becomes 0, so that nobody is admitted by mistake. */
const toCount = (text: string): number => Number(text) || 0

/** Returns the value of the key with that ending. The platform's name precedes the ending. */
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
