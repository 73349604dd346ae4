import type { GameServer } from '../protocol/game-server.js'
import { isBeingDeleted } from '../sidecar/model/state/game-server-edits.js'
import type { Aggregate, FleetStatus, ServerRecord, SetObject, SetStatus } from './fleet-state.js'
import type { GameServerTemplate } from './types.js'

export type Counted = 'counters' | 'lists'

/** Whether a GameServer no longer counts. */
export const isEnding = ({ isEnding, gameServer }: ServerRecord): boolean => isEnding || isBeingDeleted(gameServer)

/** Whether the sidecar shows that the GameServer is marked for deletion. */
export const isMarked = ({ object_meta: { deletion_timestamp: time } }: GameServer): boolean => (time ?? '0') !== '0'

/** Whether scaling down passes the GameServer by. */
export const isKept = ({ gameServer: { status } }: ServerRecord): boolean =>
  status.state === 'Allocated' || status.state === 'Reserved'

/** The counters, or the lists with their values counted. */
export const amountsOf = (
  { status: { counters, lists } }: GameServer,
  kind: Counted,
): (readonly [name: string, count: number, capacity: number])[] =>
  kind === 'counters'
    ? Object.entries(counters ?? {}).map(([name, one]) => [name, Number(one.count), Number(one.capacity)])
    : Object.entries(lists ?? {}).map(([name, one]) => [name, one.values?.length ?? 0, Number(one.capacity)])

/** Source: computeStatus of pkg/gameserversets/controller.go. */
export function statusOfSet(template: GameServerTemplate, servers: readonly ServerRecord[]): SetStatus {
  const live = servers.filter((one) => !isEnding(one)).map(({ gameServer }) => gameServer)
  const count = (state: string): number => live.filter(({ status }) => status.state === state).length
  const sums = (kind: Counted): SetStatus[Counted] => {
    const all = new Map(Object.keys(template.spec?.[kind] ?? {}).map((name) => [name, { ...nothing }]))
    for (const one of live) {
      for (const [name, count, capacity] of amountsOf(one, kind)) {
        const isAllocated = one.status.state === 'Allocated'
        const allocated = isAllocated ? { allocatedCount: count, allocatedCapacity: capacity } : {}
        add(all, name, { ...nothing, ...allocated, count, capacity })
      }
    }
    return Object.fromEntries(all)
  }
  return {
    replicas: live.length,
    readyReplicas: count('Ready'),
    reservedReplicas: count('Reserved'),
    allocatedReplicas: count('Allocated'),
    shutdownReplicas: servers.length - live.length,
    counters: sums('counters'),
    lists: sums('lists'),
  }
}

/** Source: updateFleetStatus of pkg/fleets/controller.go. */
export function statusOfFleet(sets: readonly SetObject[], allocations: number): FleetStatus {
  const sum = (field: 'replicas' | 'readyReplicas' | 'reservedReplicas' | 'allocatedReplicas'): number =>
    sets.reduce((total, { status }) => total + status[field], 0)
  const sums = (kind: Counted): FleetStatus[Counted] => {
    const all = new Map<string, Sums>()
    for (const { status } of sets) for (const [name, more] of Object.entries(status[kind])) add(all, name, more)
    return Object.fromEntries(all)
  }
  return {
    replicas: sum('replicas'),
    readyReplicas: sum('readyReplicas'),
    reservedReplicas: sum('reservedReplicas'),
    allocatedReplicas: sum('allocatedReplicas'),
    allocations,
    counters: sums('counters'),
    lists: sums('lists'),
  }
}

type Sums = { -readonly [Name in keyof Aggregate]: number }

const nothing: Aggregate = { allocatedCount: 0, allocatedCapacity: 0, count: 0, capacity: 0 }

function add(all: Map<string, Sums>, name: string, more: Aggregate): void {
  const sums = all.get(name) ?? { ...nothing }
  sums.allocatedCount += more.allocatedCount
  sums.allocatedCapacity += more.allocatedCapacity
  sums.count += more.count
  sums.capacity += more.capacity
  all.set(name, sums)
}
