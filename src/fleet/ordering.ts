import type { GameServer } from '../protocol/game-server.js'
import { nodeNameOf } from '../sidecar/allocation/allocation-answer.js'
import { own } from '../sidecar/model/state/game-server-edits.js'
import { show } from '../sidecar/model/state/show.js'
import type { Priority } from './types.js'

/** How many Ready and Allocated GameServers each node has. */
type NodeCounts = ReadonlyMap<string, { readonly ready: number; readonly allocated: number }>

/** One step of an order. */
export interface Criterion {
  /** Below 0 if `a` comes before `b`. */
  compare(a: GameServer, b: GameServer): number
  /** Why `a` comes before `b`, for a sentence that starts with the name of `a`. */
  why(a: GameServer, b: GameServer): string
}

export const nameOf = (gameServer: GameServer): string => gameServer.object_meta.name

/** The GameServers before Ready, as IsBeforeReady of pkg/apis/agones/v1/gameserver.go. */
const beforeReady: ReadonlySet<string> = new Set([
  'PortAllocation',
  'Creating',
  'Starting',
  'Scheduled',
  'RequestReady',
])

/** Source: pkg/gameservers/pernodecounter.go. */
export function countNodes(servers: readonly GameServer[]): NodeCounts {
  const counts = new Map<string, { ready: number; allocated: number }>()
  for (const { status } of servers) {
    const node = nodeNameOf(status)
    const count = counts.get(node) ?? { ready: 0, allocated: 0 }
    if (status.state === 'Ready') count.ready++
    if (status.state === 'Allocated') count.allocated++
    counts.set(node, count)
  }
  return counts
}

/** The first criterion that tells two GameServers apart. */
export const decisive = (order: readonly Criterion[], a: GameServer, b: GameServer): Criterion | undefined =>
  order.find((criterion) => criterion.compare(a, b) !== 0)

/** A sorted copy. */
export const sortBy = <T extends { readonly gameServer: GameServer }>(
  order: readonly Criterion[],
  servers: readonly T[],
): T[] => [...servers].sort(({ gameServer: a }, { gameServer: b }) => decisive(order, a, b)?.compare(a, b) ?? 0)

/**
 * The order in which an allocation looks at GameServers.
 * Source: ListSortedGameServers and ListSortedGameServersPriorities of pkg/gameserverallocations/allocation_cache.go.
 */
export function allocationOrder(
  scheduling: 'Packed' | 'Distributed',
  priorities: readonly Priority[],
  counts: NodeCounts,
): readonly Criterion[] {
  const ties = [...priorities.map(byPriority), byName]
  if (scheduling === 'Distributed') return ties
  return [
    {
      compare: (a, b) => rank(a.status.state !== 'Allocated') - rank(b.status.state !== 'Allocated'),
      why: () => 'is Allocated already, and Packed fills those first',
    },
    mostOnNode(counts, 'allocated', 'Allocated'),
    mostOnNode(counts, 'ready', 'Ready'),
    ...ties,
  ]
}

/**
 * The order in which a set deletes GameServers.
 * Source: SortGameServersByStrategy of pkg/gameserversets/gameserversets.go.
 */
export function deletionOrder(
  scheduling: 'Packed' | 'Distributed',
  priorities: readonly Priority[],
  counts: NodeCounts,
): readonly Criterion[] {
  const created = (gameServer: GameServer): number => Number(gameServer.object_meta.creation_timestamp)
  if (scheduling === 'Distributed') {
    return [...priorities.map(byPriority), { compare: (a, b) => created(a) - created(b), why: () => 'is the oldest' }]
  }
  const total = (gameServer: GameServer): number => {
    const { ready, allocated } = counts.get(nodeNameOf(gameServer.status))!
    return ready + allocated
  }
  const isReady = ({ status }: GameServer): boolean => status.state === 'Ready'
  const isBefore = ({ status }: GameServer): boolean => beforeReady.has(status.state)
  const node = ({ status }: GameServer): string => nodeNameOf(status)
  return [
    {
      // Within one node, the GameServers before Ready go first.
      compare: (a, b) => (node(a) !== node(b) ? 0 : rank(isReady(a) && isBefore(b)) - rank(isReady(b) && isBefore(a))),
      why: () => 'is not Ready yet',
    },
    { compare: (a, b) => total(a) - total(b), why: () => 'is on the emptiest node' },
    { compare: (a, b) => compareTexts(node(a), node(b)), why: () => 'is on the first of equally full nodes' },
    ...priorities.map(byPriority),
    byName,
  ]
}

const byName: Criterion = {
  compare: (a, b) => compareTexts(nameOf(a), nameOf(b)),
  why: () => 'is equal in everything else, and its name is the first',
}

const mostOnNode = (counts: NodeCounts, kind: 'ready' | 'allocated', state: string): Criterion => {
  const count = (gameServer: GameServer): number => counts.get(nodeNameOf(gameServer.status))![kind]
  return {
    compare: (a, b) => count(b) - count(a),
    why: (a, b) => `is on the node with more ${state} GameServers (${count(a)}, not ${count(b)}), as Packed prefers`,
  }
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
