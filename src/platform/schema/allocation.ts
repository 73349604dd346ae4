import * as v from 'valibot'
import { annotationLimit, highestCapacity } from '../../protocol/names.js'
import type { GameServerAllocation } from '../allocation/types.js'
import { byteLength, keyRefusal, valueRefusal } from '../sidecar/calls/metadata-rules.js'
import { lessThan, toInt64, toNatural } from '../sidecar/state/int64.js'
import { show } from '../sidecar/state/show.js'
import { boolean, findMistake, leaf, list, name, nullish, object, quotable, read, record } from './check.js'
import { rule, text, unread, word } from './check.js'
import type { Mistake } from './check.js'

/** An int64 of at least 0. Decimal text only if a number isn't exact: a cluster refuses text. */
const isNatural = (value: unknown): boolean => {
  const integer = toNatural(value)
  return integer !== undefined && (typeof value === 'number' || !Number.isSafeInteger(Number(integer)))
}
const natural = leaf('an integer of at least 0', isNatural)

const isKey = (key: string): boolean => keyRefusal('label', key) === undefined
const key = (change = (text: string): string => text) =>
  v.pipe(
    quotable,
    v.check(
      (given) => isKey(change(given)),
      'must be a key of at most 63 letters, digits, "-", "_" or ".", after an optional domain and "/"',
    ),
  )
const labelValue = v.pipe(
  quotable,
  v.check(
    (value) => valueRefusal('', value) === undefined,
    ({ input }) => `must be at most 63 letters, digits, "-", "_" or "."; got ${show(input)}`,
  ),
)
export const labels = record(labelValue, key())
export const annotations = v.pipe(
  record(
    quotable,
    key((text) => text.toLowerCase()),
  ),
  rule((value) => {
    const size = Object.entries(value).reduce((sum, [key, item]) => sum + byteLength(key) + byteLength(String(item)), 0)
    if (size <= annotationLimit) return undefined
    return { message: `have ${size} bytes; a cluster takes at most ${annotationLimit}` }
  }),
)

const expression = v.pipe(
  object({
    key: key(),
    operator: word(['In', 'NotIn', 'Exists', 'DoesNotExist']),
    values: v.nullish(list(labelValue)),
  }),
  rule(({ operator, values }) => {
    const needsValues = operator === 'In' || operator === 'NotIn'
    const hasValues = Array.isArray(values) && values.length > 0
    if (needsValues === hasValues) return undefined
    const message = needsValues ? 'must hold a value for the operator' : 'must be absent for'
    return { key: 'values', message: `${message} ${String(operator)}` }
  }),
)

/** Refuses a lower bound above the upper bound; an upper bound of 0 is none. */
const inOrder = (...kinds: readonly string[]) =>
  rule((value) => {
    for (const kind of kinds) {
      const least = toInt64(value[`min${kind}`] ?? 0)!
      const greatest = toInt64(value[`max${kind}`] ?? 0)!
      if (greatest === '0' || !lessThan(greatest, least)) continue
      const message = `must be 0, for no limit, or at least min${kind}, ${least}; got ${greatest}`
      return { key: `max${kind}`, message }
    }
    return undefined
  })

const available = { minAvailable: natural, maxAvailable: natural }
const counterBounds = v.pipe(
  object(nullish({ minCount: natural, maxCount: natural, ...available })),
  inOrder('Count', 'Available'),
)
const listBounds = v.pipe(object(nullish({ containsValue: quotable, ...available })), inOrder('Available'))

const selector = object(
  nullish({
    matchLabels: labels,
    matchExpressions: list(expression),
    gameServerState: word(['Ready', 'Allocated']),
    counters: record(counterBounds),
    lists: record(listBounds),
  }),
)

export const priority = object({
  type: word(['Counter', 'List']),
  key: name,
  // An empty text stands for the default.
  order: v.nullish(word(['Ascending', 'Descending'], [''])),
})

const counterAction = v.pipe(
  object(nullish({ action: word(['Increment', 'Decrement']), amount: natural, capacity: natural })),
  rule(({ action, amount }) => {
    if ((amount == null) === (action == null)) return undefined
    return action == null
      ? { key: 'action', message: 'must be "Increment" or "Decrement" beside an amount; got nothing' }
      : { key: 'amount', message: 'must be an integer of at least 0 beside an action; got nothing' }
  }),
)

const listAction = object(
  nullish({
    addValues: list(quotable),
    deleteValues: list(quotable),
    capacity: leaf(
      `an integer from 0 to ${highestCapacity}`,
      (value) => isNatural(value) && Number(value) <= highestCapacity,
    ),
  }),
)

const metadata = { labels, annotations }
const actions = { counters: record(counterAction), lists: record(listAction) }

/** The fields of an allocation's short form. */
export const changes = nullish({ ...metadata, ...actions })

const spec = object(
  nullish({
    selectors: list(selector),
    preferred: list(selector),
    required: selector,
    priorities: list(priority),
    scheduling: word(['Packed', 'Distributed'], ['']),
    metadata: object(nullish(metadata)),
    ...actions,
    multiClusterSetting: object(
      nullish({
        enabled: v.pipe(
          boolean,
          v.check((isOn) => !isOn, 'must be false: there are no other clusters here'),
        ),
        policySelector: object(nullish({ matchLabels: labels, matchExpressions: list(expression) })),
      }),
    ),
  }),
)

const apiVersion = leaf(
  '"allocation.agones.dev/v1"',
  (value) => typeof value === 'string' && /^allocation\.[a-z0-9-]+\.dev\/v1$/.test(value),
)
const texts = record(quotable)

/** A GameServerAllocation as a cluster accepts it. */
export const allocation = object({
  ...nullish({
    apiVersion,
    kind: word(['GameServerAllocation']),
    metadata: object(
      nullish({
        ...{ name: text, generateName: text, namespace: text, creationTimestamp: text },
        ...{ labels: texts, annotations: texts },
      }),
    ),
    spec,
  }),
  ...unread('status'),
})

/** The first mistake of a GameServerAllocation; undefined if a cluster accepts it. */
export const allocationMistake = (value: unknown): Mistake | undefined => findMistake(allocation, value, 'the manifest')

/** Reads a GameServerAllocation. @throws InvalidInput */
export const readAllocation = (value: unknown): GameServerAllocation =>
  read(allocation, value, 'the manifest') as GameServerAllocation
