import type { GameServer } from '../../protocol/game-server.js'
import { isBeingDeleted } from '../sidecar/state/game-server-edits.js'
import type { Aggregate, FleetStatus, ServerRecord, SetObject, SetStatus } from './fleet-state.js'
import type { GameServerTemplate } from './types.js'

export type Counted = 'counters' | 'lists'

/** Whether a GameServer no longer counts. */
export const isEnding = ({ isEnding, gameServer }: ServerRecord): boolean => isEnding || isBeingDeleted(gameServer)

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
    const present = live.flatMap((one) =>
      amountsOf(one, kind).map(([name, count, capacity]) => {
        const isAllocated = one.status.state === 'Allocated'
        const [allocatedCount, allocatedCapacity] = isAllocated ? [count, capacity] : [0, 0]
        return [name, { allocatedCount, allocatedCapacity, count, capacity }] as const
      }),
    )
    return sumUp([...Object.keys(template.spec?.[kind] ?? {}).map((name) => [name, nothing] as const), ...present])
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
  return {
    replicas: sum('replicas'),
    readyReplicas: sum('readyReplicas'),
    reservedReplicas: sum('reservedReplicas'),
    allocatedReplicas: sum('allocatedReplicas'),
    allocations,
    counters: sumUp(sets.flatMap(({ status }) => Object.entries(status.counters))),
    lists: sumUp(sets.flatMap(({ status }) => Object.entries(status.lists))),
  }
}

const nothing: Aggregate = { allocatedCount: 0, allocatedCapacity: 0, count: 0, capacity: 0 }

/** Adds up the amounts of each name. */
function sumUp(amounts: readonly (readonly [name: string, amount: Aggregate])[]): Record<string, Aggregate> {
  const sums = new Map<string, { -readonly [Field in keyof Aggregate]: number }>()
  for (const [name, amount] of amounts) {
    const sum = sums.get(name) ?? { ...nothing }
    sum.allocatedCount += amount.allocatedCount
    sum.allocatedCapacity += amount.allocatedCapacity
    sum.count += amount.count
    sum.capacity += amount.capacity
    sums.set(name, sum)
  }
  return Object.fromEntries(sums)
}
