import type { GameServer } from '../protocol/game-server.js'
import type { GameServerAllocation } from '../sidecar/allocation/manifest.js'
import { mismatches } from '../sidecar/allocation/mismatches.js'
import { selectorsOf } from '../sidecar/allocation/plan-allocation.js'
import { isBeingDeleted } from '../sidecar/model/state/game-server-edits.js'
import { show } from '../sidecar/model/state/show.js'
import type { AllocationChoice } from './fleet-state.js'
import { allocationOrder, countNodes, decisive, nameOf } from './ordering.js'
import type { Criterion } from './ordering.js'

/** The most reasons that a sentence lists. */
const mostReasons = 6

/**
 * Chooses the GameServer of a checked allocation: the first in order that matches the first selector that any matches.
 * Source: findGameServerForAllocation of pkg/gameserverallocations/find.go.
 *
 * @param taken names of those that the batch has given already
 * @param random gives a number from 0 to below 1
 */
export function chooseServer(
  manifest: GameServerAllocation,
  servers: readonly GameServer[],
  taken: readonly string[],
  random: () => number,
): AllocationChoice {
  const spec = manifest.spec ?? {}
  const scheduling = spec.scheduling || 'Packed'
  const priorities = spec.priorities ?? []
  const order = allocationOrder(scheduling, priorities, countNodes(servers))
  const isRandom = scheduling === 'Distributed' && priorities.length === 0
  const selectors = selectorsOf(spec)
  for (const { name, selector } of selectors) {
    const matching = servers.filter(
      (one) => !isBeingDeleted(one) && !taken.includes(nameOf(one)) && mismatches(selector, one).length === 0,
    )
    if (matching.length === 0) continue
    if (isRandom) shuffle(matching, random)
    else firstToFront(matching, order)
    const what = name === '' ? 'the selector' : name
    return { server: nameOf(matching[0]!), reason: whyThis(matching, what, isRandom, order) }
  }
  return { server: undefined, reason: whyNone(servers, taken, selectors) }
}

function whyThis(
  matching: readonly GameServer[],
  what: string,
  isRandom: boolean,
  order: readonly Criterion[],
): string {
  const [first, second] = matching
  const name = nameOf(first!)
  if (second === undefined) return `${name} is the only one that matches ${what}.`
  const count = `${matching.length} match ${what}`
  if (isRandom) return `${name}: ${count}; Distributed takes one of them at random.`
  const why = decisive(order, first!, second)?.why(first!, second)
  return `${name}: ${count}; it comes before ${nameOf(second)} since it ${why}.`
}

/** Puts the first two in order to the front: nobody looks at the others. */
function firstToFront(items: GameServer[], order: readonly Criterion[]): void {
  for (const place of [0, 1].slice(0, items.length - 1)) {
    for (let i = place + 1; i < items.length; i++) {
      const [first, other] = [items[place]!, items[i]!]
      if ((decisive(order, other, first)?.compare(other, first) ?? 0) < 0) [items[place], items[i]] = [other, first]
    }
  }
}

/** Fisher-Yates. */
function shuffle(items: GameServer[], random: () => number): void {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[items[i], items[j]] = [items[j]!, items[i]!]
  }
}

/** How many GameServers fail for which reason, the most frequent first. */
function whyNone(
  servers: readonly GameServer[],
  taken: readonly string[],
  selectors: ReturnType<typeof selectorsOf>,
): string {
  if (servers.length === 0) return 'The Fleet has no GameServer.'
  const counts = new Map<string, number>()
  const add = (reason: string): unknown => counts.set(reason, (counts.get(reason) ?? 0) + 1)
  for (const one of servers) {
    if (isBeingDeleted(one)) add('being deleted')
    else if (taken.includes(nameOf(one))) add('given to another allocation of the same batch')
    else {
      for (const { name, selector } of selectors) {
        const why = mismatches(selector, one).join(', and ')
        add(name === '' ? why : `${name}: ${why}`)
      }
    }
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a)
  const shown = sorted.slice(0, mostReasons).map(([reason, count]) => `${count} × ${reason}`)
  const more = sorted.length - shown.length
  return `None of ${servers.length} fits: ${shown.join('; ')}${more > 0 ? `; and ${more} more reasons` : ''}.`
}

/** Whether an allocation looks in this namespace; the reason why not. */
export function namespaceProblem({ metadata }: GameServerAllocation, namespace: string): string | undefined {
  const wanted = metadata?.['namespace']
  if (typeof wanted !== 'string' || wanted === '' || wanted === namespace) return undefined
  return `The Fleet is in the namespace ${show(namespace)}, the allocation in ${show(wanted)}.`
}
