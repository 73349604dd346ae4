import type { GameServer } from '../../protocol/game-server.js'
import { isBeingDeleted, own } from '../model/state/game-server-edits.js'
import { excerpt, show } from '../model/state/show.js'
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

/** The selectors in the order in which they are tried, each with its name. */
export function selectorsOf(
  spec: GameServerAllocationSpec,
): { readonly name: string; readonly selector: GameServerSelector }[] {
  const { selectors, preferred, required } = spec
  if ((selectors?.length ?? 0) > 0) {
    return selectors!.map((selector, index) => ({ name: `selector ${index + 1}`, selector }))
  }
  const old = (preferred ?? []).map((selector, index) => ({ name: `preferred ${index + 1}`, selector }))
  return [...old, { name: old.length > 0 || required != null ? 'required' : '', selector: required ?? {} }]
}

function whyNot({ metadata, spec }: GameServerAllocation, object: GameServer): string | undefined {
  const { namespace } = object.object_meta
  const wanted = typeof metadata?.['namespace'] === 'string' ? metadata['namespace'] : ''
  if (wanted !== '' && namespace !== '' && wanted !== namespace) {
    return `the GameServer is in the namespace ${show(namespace)}, the allocation in ${show(wanted)}`
  }
  if (isBeingDeleted(object)) return 'the GameServer is being deleted'
  const reasons: string[] = []
  const tried = selectorsOf(spec ?? {})
  for (const { name, selector } of tried) {
    const why = mismatches(selector, object)
    if (why.length === 0) return undefined
    if (reasons.length < mostShown) reasons.push(excerpt(`${name === '' ? '' : `${name}: `}${why.join(', and ')}`, 500))
  }
  const more = tried.length - reasons.length
  return `${reasons.join('; ')}${more > 0 ? `; and ${more} more selectors` : ''}`
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
