import type { GameServer } from '../protocol/game-server.js'
import { isBeingDeleted } from '../sidecar/model/state/game-server-edits.js'
import type { Aggregate, FleetStatus, ServerRecord, SetObject, SetSpec, SetStatus } from './fleet-state.js'

type Aggregates = Readonly<Record<string, Aggregate>>

const nothing: Aggregate = { allocatedCount: 0, allocatedCapacity: 0, count: 0, capacity: 0 }

/** Whether a GameServer no longer counts. */
export const isEnding = ({ isEnding, gameServer }: ServerRecord): boolean => isEnding || isBeingDeleted(gameServer)

/** Whether the sidecar shows that the GameServer is marked for deletion. */
export const isMarked = ({ object_meta: { deletion_timestamp: time } }: GameServer): boolean => (time ?? '0') !== '0'

/** Source: computeStatus of pkg/gameserversets/controller.go. */
export function statusOfSet({ template }: SetSpec, servers: readonly ServerRecord[]): SetStatus {
  const live = servers.filter((one) => !isEnding(one))
  const count = (state: string): number => live.filter(({ gameServer }) => gameServer.status.state === state).length
  return {
    replicas: live.length,
    readyReplicas: count('Ready'),
    reservedReplicas: count('Reserved'),
    allocatedReplicas: count('Allocated'),
    shutdownReplicas: servers.length - live.length,
    counters: aggregate(
      Object.keys(template.spec?.counters ?? {}),
      live.map(({ gameServer: { status } }) => [
        status.state,
        mapValues(status.counters, ({ count, capacity }) => [Number(count), Number(capacity)]),
      ]),
    ),
    lists: aggregate(
      Object.keys(template.spec?.lists ?? {}),
      live.map(({ gameServer: { status } }) => [
        status.state,
        mapValues(status.lists, ({ values, capacity }) => [values?.length ?? 0, Number(capacity)]),
      ]),
    ),
  }
}

/** Source: updateFleetStatus of pkg/fleets/controller.go. */
export function statusOfFleet(sets: readonly SetObject[], allocations: number): FleetStatus {
  const sum = (field: 'replicas' | 'readyReplicas' | 'reservedReplicas' | 'allocatedReplicas'): number =>
    sets.reduce((total, { status }) => total + status[field], 0)
  return {
    replicas: sum('replicas'),
    readyReplicas: sum('readyReplicas'),
    reservedReplicas: sum('reservedReplicas'),
    allocatedReplicas: sum('allocatedReplicas'),
    allocations,
    counters: addAll(sets.map(({ status }) => status.counters)),
    lists: addAll(sets.map(({ status }) => status.lists)),
  }
}

/** The sums of [count, capacity] over GameServers: all of them, and those that are Allocated. */
function aggregate(
  names: readonly string[],
  servers: readonly (readonly [state: string, values: Readonly<Record<string, readonly [number, number]>>])[],
): Aggregates {
  const start = Object.fromEntries(names.map((name) => [name, nothing]))
  const each = servers.map(([state, values]) =>
    mapValues(values, ([count, capacity]): Aggregate => {
      const isAllocated = state === 'Allocated'
      return {
        allocatedCount: isAllocated ? count : 0,
        allocatedCapacity: isAllocated ? capacity : 0,
        count,
        capacity,
      }
    }),
  )
  return addAll([start, ...each])
}

function addAll(all: readonly Aggregates[]): Aggregates {
  const sums = new Map<string, Aggregate>()
  for (const [name, more] of all.flatMap((one) => Object.entries(one))) {
    const sum = sums.get(name) ?? nothing
    sums.set(name, {
      allocatedCount: sum.allocatedCount + more.allocatedCount,
      allocatedCapacity: sum.allocatedCapacity + more.allocatedCapacity,
      count: sum.count + more.count,
      capacity: sum.capacity + more.capacity,
    })
  }
  return Object.fromEntries(sums)
}

function mapValues<T, U>(values: Readonly<Record<string, T>> | null | undefined, change: (value: T) => U) {
  return Object.fromEntries(Object.entries(values ?? {}).map(([name, value]): [string, U] => [name, change(value)]))
}
