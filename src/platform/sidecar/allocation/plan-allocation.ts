import type { GameServer } from '../../../protocol/game-server.js'
import { isBeingDeleted, own } from '../state/game-server-edits.js'
import { excerpt, show } from '../state/show.js'
import type {
  AllocationCounterAction,
  AllocationListAction,
  GameServerAllocation,
  GameServerAllocationSpec,
  GameServerSelector,
} from './manifest.js'
import { mismatches } from './mismatches.js'

/** The most selectors whose mismatches a reason lists. */
const mostShown = 10

/** The changes of an allocation that matches. */
export interface AllocationPlan {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly counters: Readonly<Record<string, AllocationCounterAction>>
  readonly lists: Readonly<Record<string, AllocationListAction>>
  /** A sentence about each skipped action: a cluster allocates nevertheless, and writes an event. */
  readonly skipped: readonly string[]
}

/** The changes of a checked allocation, or the reason why it doesn't take the GameServer. */
export function planAllocation(manifest: GameServerAllocation, object: GameServer): AllocationPlan | string {
  const reason = whyNot(manifest, object)
  if (reason !== undefined) return reason
  const spec = manifest.spec ?? {}
  const counters = existing('counter', spec.counters ?? {}, object.status.counters ?? {})
  const lists = existing('list', spec.lists ?? {}, object.status.lists ?? {})
  return {
    labels: spec.metadata?.labels ?? {},
    annotations: spec.metadata?.annotations ?? {},
    counters: Object.fromEntries(counters.kept),
    lists: Object.fromEntries(lists.kept),
    skipped: [...counters.skipped, ...lists.skipped],
  }
}

interface NamedSelector {
  readonly name: string
  readonly selector: GameServerSelector
}

/** The selectors in the order in which they are tried, each with its name. */
export function selectorsOf({ selectors, preferred, required }: GameServerAllocationSpec): NamedSelector[] {
  if ((selectors?.length ?? 0) > 0) {
    return selectors!.map((selector, index) => ({ name: `selector ${index + 1}`, selector }))
  }
  const old = (preferred ?? []).map((selector, index) => ({ name: `preferred ${index + 1}`, selector }))
  return [...old, { name: old.length > 0 || required != null ? 'required' : '', selector: required ?? {} }]
}

/** Says that an allocation is for another namespace than that of its subject; undefined if it isn't. */
export function otherNamespace({ metadata }: GameServerAllocation, namespace: string): string | undefined {
  const wanted = metadata?.['namespace']
  if (typeof wanted !== 'string' || wanted === '' || namespace === '' || wanted === namespace) return undefined
  return `is in the namespace ${show(namespace)}, the allocation in ${show(wanted)}`
}

/** By what a GameServer fails a selector; empty if it matches. */
export function mismatchText({ name, selector }: NamedSelector, object: GameServer): string {
  const why = mismatches(selector, object).join(', and ')
  return why === '' || name === '' ? why : `${name}: ${why}`
}

function whyNot(manifest: GameServerAllocation, object: GameServer): string | undefined {
  const elsewhere = otherNamespace(manifest, object.object_meta.namespace)
  if (elsewhere !== undefined) return `the GameServer ${elsewhere}`
  if (isBeingDeleted(object)) return 'the GameServer is being deleted'
  const reasons = selectorsOf(manifest.spec ?? {}).map((selector) => mismatchText(selector, object))
  if (reasons.includes('')) return undefined
  const more = reasons.length - mostShown
  const shown = reasons.slice(0, mostShown).map((reason) => excerpt(reason, 500))
  return `${shown.join('; ')}${more > 0 ? `; and ${more} more selectors` : ''}`
}

/** The actions on existing counters or lists, and a sentence about each other action that isn't empty. */
function existing<Action extends object>(
  kind: 'counter' | 'list',
  actions: Readonly<Record<string, Action>>,
  values: Readonly<Record<string, unknown>>,
): { readonly kept: [string, Action][]; readonly skipped: string[] } {
  const all = Object.entries(actions)
  const isThere = ([name]: [string, Action]): boolean => own(values, name) !== undefined
  return {
    kept: all.filter(isThere),
    skipped: all
      .filter((entry) => !isThere(entry) && doesSomething(entry[1]))
      .map(([name]) => `The allocation's action on the ${kind} ${show(name)} has no effect: there is no such ${kind}.`),
  }
}

const doesSomething = (action: object): boolean =>
  Object.values(action).some((value) => value != null && !(Array.isArray(value) && value.length === 0))
