import { allocationAnswer } from '../allocation/allocate.js'
import type { GameServerAllocation } from '../allocation/types.js'
import { mismatches, mismatchText, otherNamespace, selectorsOf } from '../allocation/match.js'
import { isBeingDeleted } from '../sidecar/state/game-server.js'
import { update } from '../sidecar/state/step.js'
import type { FleetAllocation, FleetServer } from './types.js'
import { draw, addEntry, type FleetStep } from './fleet-step.js'
import { allocationOrder, inOrder } from './ordering.js'

/** maxBatchBeforeRefresh of pkg/gameserverallocations/allocator.go. */
const LARGEST_BATCH = 100
/** The most reasons that a sentence lists. */
const MOST_REASONS = 6

/** Which GameServer an allocation takes, if any, and why. */
export interface AllocationChoice {
  readonly server: string | undefined
  readonly reason: string
}

/**
 * Chooses the GameServer of a checked allocation.
 * Source: ListenAndAllocate of pkg/gameserverallocations/allocator.go, which keeps its list for equal allocations.
 *
 * @param id number of the batch; allocations with the same number came in at the same time
 */
export function choose(step: FleetStep, manifest: GameServerAllocation, id: number | undefined): AllocationChoice {
  const { batch, config } = step.state
  const elsewhere = otherNamespace(manifest, config.namespace)
  if (elsewhere !== undefined) return { server: undefined, reason: `The Fleet ${elsewhere}.` }
  const key = id === undefined ? '' : JSON.stringify(manifest.spec ?? {})
  const isSame = id !== undefined && id === batch.id && key === batch.key && batch.count < LARGEST_BATCH
  const taken = isSame ? batch.taken : []
  const choice = chooseServer(step, manifest, taken)
  const count = isSame ? batch.count + 1 : 1
  update(step, { batch: { id, key, count, taken: choice.server === undefined ? taken : [...taken, choice.server] } })
  return choice
}

/** Builds the answer from the GameServer as its sidecar left it, or with the sidecar's refusal. */
export function answer(
  step: FleetStep,
  manifest: GameServerAllocation,
  choice: AllocationChoice,
  refusal: string | undefined,
): FleetAllocation {
  const { config, servers } = step.state
  const server = refusal === undefined ? servers.find(({ name }) => name === choice.server) : undefined
  const failure = choice.server === undefined ? 'UnAllocated' : 'Contention'
  const reason = refusal === undefined ? choice.reason : `${choice.server} could not be allocated: ${refusal}.`
  const named = server === undefined ? {} : { server: server.name }
  const allocation: FleetAllocation = {
    ...{ manifest, state: server ? 'Allocated' : failure, ...named, reason },
    answer: allocationAnswer(manifest, server?.gameServer ?? reason, {
      namespace: config.namespace,
      now: step.now,
      failure,
    }),
  }
  addEntry(step, { type: 'allocation', ...named, text: `${allocation.state}: ${reason}`, allocation })
  return allocation
}

/**
 * The first GameServer in order that matches the first selector that any matches.
 * Source: findGameServerForAllocation of pkg/gameserverallocations/find.go.
 */
function chooseServer(step: FleetStep, manifest: GameServerAllocation, taken: readonly string[]): AllocationChoice {
  const servers = step.state.servers.filter((one) => !one.isEnding)
  const { spec } = manifest
  const scheduling = spec?.scheduling || 'Packed'
  const priorities = spec?.priorities ?? []
  const selectors = selectorsOf(manifest)
  for (const { name, selector } of selectors) {
    const state = selector.gameServerState ?? 'Ready'
    const matching = servers.filter(
      (one) =>
        // Most fail by their state, which costs the least.
        one.gameServer.status.state === state &&
        !isBeingDeleted(one.gameServer) &&
        !taken.includes(one.name) &&
        mismatches(selector, one.gameServer).length === 0,
    )
    if (matching.length === 0) continue
    const what = name === '' ? 'the selector' : name
    const chosen = ({ name: server }: FleetServer, why: string) => ({ server, reason: server + why })
    if (matching.length === 1) return chosen(matching[0]!, ` is the only one that matches ${what}.`)
    const count = `: ${matching.length} match ${what}`
    if (scheduling === 'Distributed' && priorities.length === 0) {
      const one = matching[Math.floor(draw(step) * matching.length)]!
      return chosen(one, `${count}; Distributed takes one of them at random.`)
    }
    const order = allocationOrder(scheduling, priorities, servers)
    const compare = inOrder(order.map((criterion) => criterion.compare))
    const earlier = (a: FleetServer, b: FleetServer): FleetServer => (compare(a, b) < 0 ? a : b)
    const first = matching.reduce(earlier)
    const second = matching.filter((one) => one !== first).reduce(earlier)
    const [a, b] = [first.gameServer, second.gameServer]
    const why = order.find((criterion) => criterion.compare(a, b) !== 0)!.why(a, b)
    return chosen(first, `${count}; it comes before ${second.name} since it ${why}.`)
  }
  return { server: undefined, reason: whyNone(servers, taken, selectors) }
}

/** How many GameServers fail for which reason, the most frequent first. */
function whyNone(
  servers: readonly FleetServer[],
  taken: readonly string[],
  selectors: ReturnType<typeof selectorsOf>,
): string {
  if (servers.length === 0) return 'The Fleet has no GameServer.'
  const reasonsOf = ({ name: server, gameServer }: FleetServer): readonly string[] => {
    if (isBeingDeleted(gameServer)) return ['being deleted']
    if (taken.includes(server)) return ['given to another allocation of the same batch']
    return selectors.map((selector) => mismatchText(selector, gameServer))
  }
  const counts = new Map<string, number>()
  for (const reason of servers.flatMap(reasonsOf)) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const sorted = [...counts].sort(([, a], [, b]) => b - a)
  const shown = sorted.slice(0, MOST_REASONS).map(([reason, count]) => `${count} × ${reason}`)
  const more = sorted.length - shown.length
  return `None of ${servers.length} fits: ${shown.join('; ')}${more > 0 ? `; and ${more} more reasons` : ''}.`
}
