import type { GameServer } from '../../protocol/game-server.js'
import { nodeNameOf } from '../allocation/allocate.js'
import { own } from '../sidecar/state/game-server.js'
import { show } from '../sidecar/state/show.js'
import type { Priority } from '../allocation/types.js'
import type { FleetSpec } from './types.js'

/** Below 0 if `a` comes before `b`. */
type Compare = (a: GameServer, b: GameServer) => number

/** One step of the order of an allocation. */
interface Criterion {
  readonly compare: Compare
  /** Why `a` comes before `b`, for a sentence that starts with the name of `a`. */
  why(a: GameServer, b: GameServer): string
}

type Listed = readonly { readonly gameServer: GameServer }[]

/** The comparison of an order: its first step with a difference decides. */
export const inOrder =
  (order: readonly Compare[]) =>
  ({ gameServer: a }: Listed[number], { gameServer: b }: Listed[number]): number => {
    for (const compare of order) {
      const difference = compare(a, b)
      if (difference !== 0) return difference
    }
    return 0
  }

const nameOf = (gameServer: GameServer): string => gameServer.object_meta.name

/** The GameServers before Ready, as IsBeforeReady of pkg/apis/agones/v1/gameserver.go. */
const beforeReady = ['PortAllocation', 'Creating', 'Starting', 'Scheduled', 'RequestReady']

/** How many Ready and Allocated GameServers each node has. Source: pkg/gameservers/pernodecounter.go. */
function countNodes(servers: Listed): ReadonlyMap<string, { readonly Ready: number; readonly Allocated: number }> {
  const counts = new Map<string, { Ready: number; Allocated: number }>()
  for (const { gameServer } of servers) {
    const node = nodeNameOf(gameServer.status)
    const count = counts.get(node) ?? { Ready: 0, Allocated: 0 }
    if (gameServer.status.state === 'Ready') count.Ready++
    if (gameServer.status.state === 'Allocated') count.Allocated++
    counts.set(node, count)
  }
  return counts
}

/**
 * The order in which an allocation looks at GameServers.
 * Source: ListSortedGameServers and ListSortedGameServersPriorities of pkg/gameserverallocations/allocation_cache.go.
 */
export function allocationOrder(
  scheduling: FleetSpec['scheduling'],
  priorities: readonly Priority[],
  servers: Listed,
): readonly Criterion[] {
  const ties = [...priorities.map(byPriority), byName]
  if (scheduling === 'Distributed') return ties
  const counts = countNodes(servers)
  const mostOnNode = (state: 'Ready' | 'Allocated'): Criterion => {
    const count = ({ status }: GameServer): number => counts.get(nodeNameOf(status))![state]
    return {
      compare: (a, b) => count(b) - count(a),
      why: (a, b) => `is on the node with more ${state} GameServers (${count(a)}, not ${count(b)}), as Packed prefers`,
    }
  }
  return [
    {
      compare: (a, b) => rank(a.status.state !== 'Allocated') - rank(b.status.state !== 'Allocated'),
      why: () => 'is Allocated already, and Packed fills those first',
    },
    mostOnNode('Allocated'),
    mostOnNode('Ready'),
    ...ties,
  ]
}

/**
 * A copy in the order in which a set deletes GameServers.
 * Source: SortGameServersByStrategy of pkg/gameserversets/gameserversets.go.
 *
 * @param all the GameServers of the Fleet, which tell how full the nodes are
 */
export function sortForDeletion<T extends Listed[number]>(
  { scheduling, priorities = [] }: Pick<FleetSpec, 'scheduling' | 'priorities'>,
  all: Listed,
  servers: readonly T[],
): T[] {
  const created = ({ object_meta }: GameServer): number => Number(object_meta.creation_timestamp)
  const counts = countNodes(all)
  const total = ({ status }: GameServer): number => {
    const { Ready, Allocated } = counts.get(nodeNameOf(status))!
    return Ready + Allocated
  }
  const isFirst = ({ status: a }: GameServer, { status: b }: GameServer): boolean =>
    nodeNameOf(a) === nodeNameOf(b) && beforeReady.includes(a.state) && b.state === 'Ready'
  const byEach = priorities.map((priority) => byPriority(priority).compare)
  const order: readonly Compare[] =
    scheduling === 'Distributed'
      ? [...byEach, (a, b) => created(a) - created(b)]
      : [
          // Within one node, the GameServers before Ready go first.
          (a, b) => rank(isFirst(b, a)) - rank(isFirst(a, b)),
          (a, b) => total(a) - total(b),
          (a, b) => compareTexts(nodeNameOf(a.status), nodeNameOf(b.status)),
          ...byEach,
          byName.compare,
        ]
  return [...servers].sort(inOrder(order))
}

const byName: Criterion = {
  compare: (a, b) => compareTexts(nameOf(a), nameOf(b)),
  why: () => 'is equal in everything else, and its name is the first',
}

/**
 * Least available first; with `Descending` most available first. Those without the counter or list come last.
 * Source: CompareCountAndListPriorities of pkg/apis/agones/v1/gameserver.go.
 */
function byPriority({ type, key, order }: Priority): Criterion {
  const sign = order === 'Descending' ? -1 : 1
  const what = `${type === 'Counter' ? 'counter' : 'list'} ${show(key)}`
  return {
    compare(a, b) {
      const [first, second] = [availableOf(a, type, key), availableOf(b, type, key)]
      if (first !== undefined && second !== undefined) return Number(first - second) * sign
      return rank(first === undefined) - rank(second === undefined)
    },
    why(a, b) {
      const [first, second] = [availableOf(a, type, key), availableOf(b, type, key)]
      const compared = second === undefined ? `has the ${what}` : `has ${first} available in its ${what}, not ${second}`
      return `${compared}, and the priority is ${order || 'Ascending'}`
    },
  }
}

/** How much of a counter or list is left; undefined if there is none. */
function availableOf({ status }: GameServer, type: Priority['type'], key: string): bigint | undefined {
  const counter = type === 'Counter' ? own(status.counters, key) : undefined
  if (counter !== undefined) return BigInt(counter.capacity) - BigInt(counter.count)
  const list = type === 'List' ? own(status.lists, key) : undefined
  return list && BigInt(list.capacity) - BigInt(list.values?.length ?? 0)
}

const rank = (isLater: boolean): number => (isLater ? 1 : 0)

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
