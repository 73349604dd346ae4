import type { CounterStatus, GameServer, ListStatus } from '../../protocol/game-server.js'
import { changeEach, clampCounter, own, sorted, withLastAllocated, withState } from '../sidecar/state/game-server.js'
import { toInt64, toNatural } from '../sidecar/state/int64.js'
import { show } from '../sidecar/state/show.js'
import { selectorsOf, whyNot } from './match.js'
import type {
  AllocationChanges,
  AllocationStatus,
  AnsweredAllocation,
  CounterAction,
  GameServerAllocation,
  GameServerAllocationSpec,
  GameServerSelector,
  ListAction,
  Priority,
} from './types.js'
import { mapValues } from '../../protocol/map-values.js'

/** The GameServerAllocation of a spec that is still to be checked. */
export const newAllocation = (spec: object, platform = 'agones'): GameServerAllocation => ({
  apiVersion: `allocation.${platform}.dev/v1`,
  kind: 'GameServerAllocation',
  spec,
})

/** The GameServerAllocation of a short form. */
export const allocationBy = ({ labels, annotations, counters, lists }: AllocationChanges): GameServerAllocation => ({
  spec: {
    selectors: [{ gameServerState: 'Ready' }, { gameServerState: 'Allocated' }],
    metadata: { labels: labels ?? null, annotations: annotations ?? null },
    counters: counters ?? null,
    lists: lists ?? null,
  },
})

/** A GameServer as an allocator leaves it. */
interface Allocated {
  readonly object: GameServer
  /** A sentence about each skipped action: a cluster allocates nevertheless, and writes an event. */
  readonly skipped: readonly string[]
}

/** Allocates a GameServer by a checked allocation. Returns the reason if the allocation doesn't take it. */
export function allocate(
  object: GameServer,
  manifest: GameServerAllocation,
  platform: string,
  now: number,
): Allocated | string {
  const reason = whyNot(manifest, object)
  if (reason !== undefined) return reason
  const { metadata, counters, lists } = manifest.spec ?? {}
  const { object_meta: meta, status } = object
  const changed: GameServer = {
    ...object,
    object_meta: {
      ...meta,
      labels: merge(meta.labels, metadata?.labels),
      annotations: merge(meta.annotations, metadata?.annotations),
    },
    status: {
      ...status,
      ...(counters && { counters: changeEach(status.counters, counters, changeCounter) }),
      ...(lists && { lists: changeEach(status.lists, lists, changeList) }),
    },
  }
  return {
    object: withLastAllocated(withState(changed, 'Allocated'), platform, now),
    skipped: [...skippedOf('counter', counters, status.counters), ...skippedOf('list', lists, status.lists)],
  }
}

type Texts = Readonly<Record<string, string>> | null | undefined

const merge = (before: Texts, more: Texts): Record<string, string> =>
  sorted([...new Map([...Object.entries(before ?? {}), ...Object.entries(more ?? {})])])

/** Sets the capacity, then changes the count and clamps it to 0 and the capacity. */
function changeCounter(counter: CounterStatus, { action, amount, capacity }: CounterAction): CounterStatus {
  const change = BigInt(toNatural(amount ?? (action == null ? 0 : 1)) ?? 0)
  const count = String(BigInt(counter.count) + (action === 'Decrement' ? -change : change))
  return clampCounter({ count, capacity: toNatural(capacity) ?? counter.capacity })
}

/** Sets the capacity first, then adds values without duplicates, then deletes values. */
function changeList(list: ListStatus, action: ListAction): ListStatus {
  const capacity = toNatural(action.capacity) ?? list.capacity
  const values = [...new Set([...(list.values ?? []), ...(action.addValues ?? [])])].slice(0, Number(capacity))
  const deleted = new Set(action.deleteValues)
  return { capacity, values: values.filter((value) => !deleted.has(value)) }
}

/** A sentence about each action on a counter or list that isn't there, unless the action is empty. */
const skippedOf = (
  kind: 'counter' | 'list',
  actions: GameServerAllocationSpec['counters' | 'lists'],
  values: Readonly<Record<string, unknown>> | null | undefined,
): string[] =>
  Object.entries<CounterAction | ListAction>(actions ?? {})
    .filter(([name, action]) => own(values, name) === undefined && doesSomething(action))
    .map(([name]) => `The allocation's action on the ${kind} ${show(name)} has no effect: there is no such ${kind}.`)

const doesSomething = (action: CounterAction | ListAction): boolean =>
  Object.values(action).some((value: unknown) => value != null && !(Array.isArray(value) && value.length === 0))

/**
 * The answer to a checked allocation: the manifest with the defaults of a cluster, and its status.
 *
 * @param allocated the GameServer as the allocation left it, or the reason why there is none; then the state is `failure`
 */
export function allocationAnswer<Failure extends string>(
  manifest: GameServerAllocation,
  allocated: GameServer | string,
  { namespace, now, failure }: { readonly namespace: string; readonly now: number; readonly failure: Failure },
): AnsweredAllocation<Failure> {
  const isAllocated = typeof allocated !== 'string'
  const { spec } = manifest
  const hasSelectors = (spec?.selectors?.length ?? 0) > 0
  return {
    apiVersion: manifest.apiVersion ?? 'allocation.agones.dev/v1',
    kind: 'GameServerAllocation',
    metadata: {
      ...manifest.metadata,
      ...(isAllocated ? { name: allocated.object_meta.name } : {}),
      namespace: manifest.metadata?.['namespace'] || namespace,
      creationTimestamp: wholeSeconds(now),
    },
    spec: {
      ...Object.fromEntries(Object.entries(spec ?? {}).filter(([, value]) => value !== null)),
      multiClusterSetting: spec?.multiClusterSetting ?? { policySelector: {} },
      ...(spec?.preferred ? { preferred: hasSelectors ? spec.preferred : spec.preferred.map(withDefaults) } : {}),
      required: hasSelectors ? (spec?.required ?? {}) : withDefaults(spec?.required ?? {}),
      selectors: selectorsOf(manifest).map(({ selector }) => withDefaults(selector)),
      ...(spec?.priorities && { priorities: spec.priorities.map(withOrder) }),
      scheduling: spec?.scheduling || 'Packed',
      metadata: spec?.metadata ?? {},
    },
    status: isAllocated ? statusOf(allocated) : { state: failure, gameServerName: '', source: '' },
    ...(isAllocated ? {} : { reason: allocated }),
  }
}

/** A priority as the cluster's API writes it. */
export const withOrder = (priority: Priority): Priority => ({ ...priority, order: priority.order || 'Ascending' })

/** RFC 3339, as the platform writes times. */
export const wholeSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** A selector as the cluster's API writes it, with the bounds that are no bounds. */
const withDefaults = (selector: GameServerSelector): GameServerSelector => ({
  ...selector,
  gameServerState: selector.gameServerState ?? 'Ready',
  ...(selector.counters ? { counters: mapValues(selector.counters, (bounds) => ({ ...anyCount, ...bounds })) } : {}),
  ...(selector.lists ? { lists: mapValues(selector.lists, (bounds) => ({ ...anyList, ...bounds })) } : {}),
})

const anyAvailable = { minAvailable: 0, maxAvailable: 0 }
const anyCount = { minCount: 0, maxCount: 0, ...anyAvailable }
const anyList = { containsValue: '', ...anyAvailable }

function statusOf({ object_meta: meta, status }: GameServer): AllocationStatus<never> {
  const { ports = [], address = '', addresses = [], counters, lists } = status
  return {
    state: 'Allocated',
    gameServerName: meta.name,
    ports,
    address,
    addresses,
    nodeName: nodeNameOf(status),
    source: 'local',
    metadata: { labels: meta.labels ?? {}, annotations: meta.annotations ?? {} },
    // The cluster's API leaves out empty ones.
    ...Object.fromEntries(
      Object.entries(countedOf({ counters, lists })).filter(([, all]) => Object.keys(all).length > 0),
    ),
  }
}

/** The name of a GameServer's node, which a sidecar's GameServer doesn't hold: its host name, else its address. */
export const nodeNameOf = ({ address = '', addresses = [] }: GameServer['status']): string =>
  addresses.find(({ type }) => type === 'Hostname')?.address ?? address

type Counted = { readonly [Part in 'counters' | 'lists']?: GameServer['status'][Part] | undefined }

/** Counters and lists of a GameServer as in the cluster's API. */
export const countedOf = ({ counters, lists }: Counted) => ({
  counters: mapValues(counters, ({ count, capacity }) => ({ count: int64(count), capacity: int64(capacity) })),
  lists: mapValues(lists, ({ capacity, values }) => ({ capacity: int64(capacity), values: values ?? [] })),
})

/** A number, as in the cluster's API, or text if a number isn't exact. */
function int64(text: string): number | string {
  const value = Number(toInt64(text) ?? NaN)
  return Number.isSafeInteger(value) ? value : text
}
