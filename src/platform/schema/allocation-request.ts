import * as v from 'valibot'
import { isObject } from '../../protocol/is-object.js'
import type { GameServerAllocation, GameServerAllocationSpec } from '../allocation/types.js'
import { boolean, list, mustBe, readInto, record, text as string, type Schema } from './check.js'

const text = v.nullish(string)
const listOf = (item: Schema): Schema => v.nullish(list(item))
const mapOf = (item: Schema): Schema => v.nullish(record(item))

/** Fields that the platform's release doesn't know are ignored. */
const message = (fields: Readonly<Record<string, Schema>>): Schema =>
  v.nullish(v.pipe(v.custom(isObject, mustBe('an object')), v.object(fields)))

/** An enum, by its word or its number. The platform passes over an unknown word, and takes the first one. */
const oneOf = (...words: readonly string[]): Schema => {
  const byNumber = v.pipe(
    v.any(),
    v.transform((value: unknown) => (typeof value === 'number' ? words[value] : value)),
  )
  return v.nullish(v.pipe(byNumber, v.picklist(words, mustBe(words.join(' or ')))), words[0])
}

/** An int64, which may be text, and stays text if a number isn't exact. */
const int64 = v.nullish(
  v.pipe(
    v.custom((value) => /^-?\d+$/.test(String(value)), mustBe('an integer')),
    v.transform((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value)),
  ),
)

const available = { minAvailable: int64, maxAvailable: int64 }
const matchLabels = mapOf(text)
const selector = message({
  matchLabels,
  matchExpressions: listOf(
    message({ key: text, operator: oneOf('In', 'NotIn', 'Exists', 'DoesNotExist'), values: listOf(text) }),
  ),
  gameServerState: v.pipe(
    oneOf('READY', 'ALLOCATED'),
    v.transform((state) => (state === 'ALLOCATED' ? 'Allocated' : 'Ready')),
  ),
  counters: mapOf(message({ minCount: int64, maxCount: int64, ...available })),
  lists: mapOf(message({ containsValue: text, ...available })),
})
const metadata = message({ labels: mapOf(text), annotations: mapOf(text) })

/** `AllocationRequest` of `proto/allocation/allocation.proto`. */
const request = v.nonNullish(
  message({
    namespace: text,
    multiClusterSetting: message({ enabled: v.nullish(boolean), policySelector: message({ matchLabels }) }),
    gameServerSelectors: listOf(selector),
    preferredGameServerSelectors: listOf(selector),
    requiredGameServerSelector: selector,
    priorities: listOf(message({ type: oneOf('Counter', 'List'), key: text, order: oneOf('Ascending', 'Descending') })),
    scheduling: oneOf('Packed', 'Distributed'),
    ...{ metadata, metaPatch: metadata },
    counters: mapOf(message({ action: text, amount: int64, capacity: int64 })),
    lists: mapOf(message({ addValues: listOf(text), deleteValues: listOf(text), capacity: int64 })),
  }),
  mustBe('a JSON object'),
)

/**
 * Reads a request of the allocator service as an allocation, which is still to be checked.
 * Source: ConvertAllocationRequestToGSA of pkg/allocation/converters.
 *
 * @throws InvalidInput for JSON that protobuf can't read as a request
 */
export function readAllocationRequest(value: unknown): GameServerAllocation {
  const {
    namespace,
    gameServerSelectors: selectors,
    preferredGameServerSelectors: preferred,
    requiredGameServerSelector: required,
    metadata,
    metaPatch,
    ...spec
  } = readInto(request, value, 'The body') as Readonly<Record<string, unknown>>
  const all = { ...spec, selectors, preferred, required, metadata: metadata ?? metaPatch }
  // The platform takes no namespace for one without GameServers.
  return { metadata: { namespace: namespace || '(none)' }, spec: all as GameServerAllocationSpec }
}
