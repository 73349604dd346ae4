import type { GameServer as Sent } from '../../index.js'

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
    /** The fields in the official SDK's types. */
    state: 'Scheduled' | 'Reserved' | 'RequestReady' | 'Ready' | 'Shutdown' | 'Allocated' | 'Unhealthy'
    address: string
    addressesList: { type: string; address: string }[]
    portsList: { name: string; port: number }[]
    countersMap: [string, { count: number; capacity: number }][]
    listsMap: [string, { capacity: number; valuesList: string[] }][]
  }
}

/** The pairs of a map, by their keys, as the official SDK sorts them. */
function toPairs<T, U>(map: Record<string, T> | null | undefined, convert: (value: T) => U): [string, U][] {
  return Object.entries(map ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [key, convert(value)])
}

/** An int64 as a number, or as text if a number can't hold it exactly, like the official SDK. */
function toNumber(value: string | undefined): number {
  const number = Number(value ?? 0)
  return Number.isSafeInteger(number) ? number : (value as unknown as number)
}

/** Converts the sidecar's GameServer to the form of the official SDK. */
export function toObject({ object_meta: meta, spec, status }: Sent): GameServer {
  const { disabled = false, period_seconds = 0, failure_threshold = 0, initial_delay_seconds = 0 } = spec?.health ?? {}
  return {
    objectMeta: {
      name: meta.name,
      namespace: meta.namespace,
      uid: meta.uid,
      resourceVersion: meta.resource_version,
      generation: toNumber(meta.generation),
      creationTimestamp: toNumber(meta.creation_timestamp),
      deletionTimestamp: toNumber(meta.deletion_timestamp),
      annotationsMap: toPairs(meta.annotations, String),
      labelsMap: toPairs(meta.labels, String),
    },
    spec: {
      health: {
        disabled,
        periodSeconds: period_seconds,
        failureThreshold: failure_threshold,
        initialDelaySeconds: initial_delay_seconds,
      },
    },
    status: {
      state: status.state as GameServer['status']['state'],
      address: status.address ?? '',
      addressesList: (status.addresses ?? []).map(({ type, address }) => ({ type, address })),
      portsList: (status.ports ?? []).map(({ name, port }) => ({ name, port })),
      countersMap: toPairs(status.counters, ({ count, capacity }) => ({
        count: toNumber(count),
        capacity: toNumber(capacity),
      })),
      listsMap: toPairs(status.lists, ({ capacity, values }) => ({
        capacity: toNumber(capacity),
        valuesList: values ?? [],
      })),
    },
  }
}
