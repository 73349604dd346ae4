import type { GameServer } from '../../protocol/game-server.js'
import { mapValues } from '../../protocol/is-object.js'
import { toInt64 } from '../sidecar/state/int64.js'
import { selectorsOf } from './match.js'
import type { AllocationStatus, AnsweredAllocation, GameServerAllocation } from './types.js'
import type { GameServerSelector, Priority } from './types.js'

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
