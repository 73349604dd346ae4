import type { CounterStatus, GameServer as Sent, GameServerStatus, ListStatus } from '../index.js'

/** A GameServer in the form of the official SDK: camelCase, maps as sorted pairs, 64-bit integers as numbers. */
export interface GameServer {
  objectMeta: {
    name: string
    namespace: string
    uid: string
    resourceVersion: string
    generation: number
    /** Seconds since the Unix epoch. */
    creationTimestamp: number
    /** Seconds since the Unix epoch, 0 while the GameServer isn't being deleted. */
    deletionTimestamp: number
    annotationsMap: [string, string][]
    labelsMap: [string, string][]
  }
  spec: {
    health: {
      disabled: boolean
      periodSeconds: number
      failureThreshold: number
      initialDelaySeconds: number
    }
  }
  status: {
    /** Those that the official SDK's types name. */
    state: 'Scheduled' | 'Reserved' | 'RequestReady' | 'Ready' | 'Shutdown' | 'Allocated' | 'Unhealthy'
    address: string
    addressesList: { type: string; address: string }[]
    portsList: { name: string; port: number }[]
    /** Only with the platform's feature gate PlayerTracking. */
    players?: { count: number; capacity: number; idsList: string[] } | undefined
    countersMap: [string, { count: number; capacity: number }][]
    listsMap: [string, { capacity: number; valuesList: string[] }][]
  }
}

interface Players {
  count?: string
  capacity?: string
  ids?: string[]
}

type Map<T> = Record<string, T> | null | undefined

/** The pairs of a map, by their keys, as the official SDK sorts them. */
function toPairs<T, U>(map: Map<T>, convert: (value: T) => U): [string, U][] {
  return Object.entries(map ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [key, convert(value)])
}

const asIs = (text: string): string => text

/** A number, or its text where a number can't hold it, which is what the official SDK gives, too. */
function toNumber(value: unknown): number {
  if (typeof value === 'object') return 0
  const number = Number(value ?? 0)
  return Number.isSafeInteger(number) ? number : (value as number)
}

/** What is not an array counts as none: an object that makes no sense must not end the game from within a listener. */
const toArray = <T>(value: readonly T[] | null | undefined): T[] => (Array.isArray(value) ? (value.slice() as T[]) : [])

function toCounter(raw: CounterStatus | null): { count: number; capacity: number } {
  const { count, capacity } = Object(raw) as Partial<CounterStatus>
  return { count: toNumber(count), capacity: toNumber(capacity) }
}

function toList(raw: ListStatus | null): { capacity: number; valuesList: string[] } {
  const { capacity, values } = Object(raw) as Partial<ListStatus>
  return { capacity: toNumber(capacity), valuesList: toArray(values) }
}

const pick =
  <A extends string, B extends string>(a: A, b: B) =>
  <T extends Record<A | B, unknown>>(item: T): Pick<T, A | B> => {
    const { [a]: first, [b]: second } = Object(item) as T
    return { [a]: first, [b]: second } as Pick<T, A | B>
  }

function toStatus({ state, address, addresses, ports, players, counters, lists }: GameServerStatus) {
  const { count, capacity, ids } = (players ?? {}) as Players
  return {
    state: state as GameServer['status']['state'],
    address: address ?? '',
    addressesList: toArray(addresses).map(pick('type', 'address')),
    portsList: toArray(ports).map(pick('name', 'port')),
    players: players ? { count: toNumber(count), capacity: toNumber(capacity), idsList: toArray(ids) } : undefined,
    countersMap: toPairs(counters, toCounter),
    listsMap: toPairs(lists, toList),
  }
}

/** The GameServer that the sidecar sent, as the official SDK would give it. */
export function toObject({ object_meta: meta, spec, status }: Sent): GameServer {
  const { disabled, period_seconds, failure_threshold, initial_delay_seconds } = spec?.health ?? {}
  return {
    objectMeta: {
      name: meta.name,
      namespace: meta.namespace,
      uid: meta.uid,
      resourceVersion: meta.resource_version,
      generation: toNumber(meta.generation),
      creationTimestamp: toNumber(meta.creation_timestamp),
      deletionTimestamp: toNumber(meta.deletion_timestamp),
      annotationsMap: toPairs(meta.annotations, asIs),
      labelsMap: toPairs(meta.labels, asIs),
    },
    spec: {
      health: {
        disabled: !!disabled,
        periodSeconds: toNumber(period_seconds),
        failureThreshold: toNumber(failure_threshold),
        initialDelaySeconds: toNumber(initial_delay_seconds),
      },
    },
    status: toStatus(status),
  }
}
