import { isObject } from '../../protocol/is-object.js'
import type { AllocationStatus, GameServerAllocation } from '../../sidecar/allocation/manifest.js'

type Fields = Readonly<Record<string, unknown>>

/** The unchecked allocation of a request, as `ConvertAllocationRequestToGSA` of `pkg/allocation/converters` makes it. */
export function manifestOf(request: Fields): GameServerAllocation {
  const spec = {
    multiClusterSetting: pick(request['multiClusterSetting'], ['enabled', 'policySelector']),
    selectors: list(request['gameServerSelectors'], selectorOf),
    preferred: list(request['preferredGameServerSelectors'], selectorOf),
    required: isObject(request['requiredGameServerSelector'])
      ? selectorOf(request['requiredGameServerSelector'])
      : null,
    priorities: list(request['priorities'], ({ type, key, order }) => ({
      type: word(type, ['Counter', 'List']),
      key,
      order: word(order, ['Ascending', 'Descending']),
    })),
    scheduling: word(request['scheduling'], ['Packed', 'Distributed']),
    metadata: pick(request['metadata'] ?? request['metaPatch'], ['labels', 'annotations']),
    counters: record(request['counters'], (action) => pick(action, ['action', 'amount', 'capacity'])),
    lists: record(request['lists'], (action) => pick(action, ['addValues', 'deleteValues', 'capacity'])),
  }
  return { spec: spec as NonNullable<GameServerAllocation['spec']> }
}

const selectorOf = (selector: Fields): Fields => ({
  matchLabels: selector['matchLabels'],
  matchExpressions: list(selector['matchExpressions'], ({ key, operator, values }) => ({
    key,
    operator: word(operator, ['In', 'NotIn', 'Exists', 'DoesNotExist']),
    values,
  })),
  gameServerState: stateOf(word(selector['gameServerState'], ['READY', 'ALLOCATED'])),
  counters: record(selector['counters'], (bounds) =>
    pick(bounds, ['minCount', 'maxCount', 'minAvailable', 'maxAvailable']),
  ),
  lists: record(selector['lists'], (bounds) => pick(bounds, ['containsValue', 'minAvailable', 'maxAvailable'])),
})

const stateOf = (state: unknown): unknown => (state === 'READY' ? 'Ready' : state === 'ALLOCATED' ? 'Allocated' : state)

/** The word of an enum, which may be given by its number. */
const word = (value: unknown, words: readonly string[]): unknown =>
  value == null ? words[0] : typeof value === 'number' ? (words[value] ?? value) : value

const list = (value: unknown, change: (item: Fields) => Fields): unknown =>
  Array.isArray(value) ? value.map((item: unknown) => (isObject(item) ? change(item) : item)) : value

const record = (value: unknown, change: (item: Fields) => unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, isObject(item) ? change(item) : item]))
    : value

/** The known fields; others are ignored. An int64 may be text. */
const pick = (value: unknown, fields: readonly string[]): unknown =>
  isObject(value)
    ? Object.fromEntries(fields.filter((field) => value[field] != null).map((field) => [field, exact(value[field])]))
    : value

const exact = (value: unknown): unknown =>
  typeof value === 'string' && /^\d+$/.test(value) && Number.isSafeInteger(Number(value)) ? Number(value) : value

/** The answer in protobuf's JSON, with every field, as grpc-gateway writes it. */
export function answerOf(status: AllocationStatus): object {
  const { gameServerName, ports = [], address = '', addresses = [], nodeName = '', source, metadata } = status
  return {
    ...{ gameServerName, ports, address, addresses, nodeName, source },
    metadata: { labels: metadata?.labels ?? {}, annotations: metadata?.annotations ?? {} },
    counters: record(status.counters, ({ count, capacity }) => ({ count: String(count), capacity: String(capacity) })),
    lists: record(status.lists, ({ values, capacity }) => ({ values, capacity: String(capacity) })),
  }
}
