import { isObject } from '../../protocol/is-object.js'
import { annotationLimit } from '../../protocol/names.js'
import { byteLength, keyRefusal, valueRefusal } from '../model/calls/metadata-rules.js'
import { lessThan, toInt64 } from '../model/state/int64.js'
import { allOf, isGiven, leaf, listOf, objectOf, problemAt, recordOf, wordOf } from './shape.js'
import type { ManifestProblem, Path, Shape } from './shape.js'

/** The highest capacity that a cluster gives a list. */
const highestListCapacity = 1000

const anything: Shape = () => undefined
const text = leaf('text, in quotes if it looks like a number', (value) => typeof value === 'string')
const some = leaf('text that is not empty', (value) => typeof value === 'string' && value !== '')
const boolean = leaf('true or false', (value) => typeof value === 'boolean')
const texts = recordOf(text)

/** An int64 of at least 0. Decimal text stands only for one that a number can't hold: a cluster takes no text. */
const natural = leaf('an integer of at least 0', (value) => {
  const integer = toInt64(value)
  if (integer === undefined || lessThan(integer, '0')) return false
  return typeof value === 'number' || !Number.isSafeInteger(Number(integer))
})

const labelKey: Shape = (key, path) =>
  keyRefusal('label', String(key)) === undefined
    ? undefined
    : problemAt(
        path,
        'is no key: it must be at most 63 letters, digits, "-", "_" or ".", with an optional domain and "/" before',
      )
const labelValue: Shape = (value, path) =>
  text(value, path) ??
  (valueRefusal('', value as string) === undefined
    ? undefined
    : problemAt(
        path,
        `must be at most 63 letters, digits, "-", "_" or "."; got ${JSON.stringify((value as string).slice(0, 80))}`,
      ))
const labels = recordOf(labelValue, labelKey)

const annotationKey: Shape = (key, path) => labelKey(String(key).toLowerCase(), path)
const annotations = allOf(recordOf(text, annotationKey), (value, path) => {
  const size = Object.entries(value as Record<string, string>).reduce(
    (sum, [key, item]) => sum + byteLength(key) + byteLength(item),
    0,
  )
  return size > annotationLimit
    ? problemAt(path, `have ${size} bytes; a cluster takes at most ${annotationLimit}`)
    : undefined
})

const expression = allOf(
  required('key', 'operator'),
  objectOf({
    key: allOf(text, labelKey),
    operator: wordOf('In', 'NotIn', 'Exists', 'DoesNotExist'),
    values: listOf(labelValue),
  }),
  (value, path) => {
    const { operator, values } = value as { operator: string; values?: readonly string[] | null }
    const needsValues = operator === 'In' || operator === 'NotIn'
    const count = values?.length ?? 0
    if (needsValues && count === 0)
      return problemAt([...path, 'values'], `must hold a value for the operator ${operator}`)
    return !needsValues && count > 0 ? problemAt([...path, 'values'], `must be absent for ${operator}`) : undefined
  },
)

/** Refuses a least value above the greatest; a greatest of 0 is none. */
const inOrder =
  (...kinds: readonly string[]): Shape =>
  (value, path) => {
    const bounds = value as Readonly<Record<string, unknown>>
    for (const kind of kinds) {
      const least = toInt64(bounds[`min${kind}`] ?? 0)!
      const greatest = toInt64(bounds[`max${kind}`] ?? 0)!
      if (greatest !== '0' && lessThan(greatest, least)) {
        return problemAt(
          [...path, `max${kind}`],
          `must be 0, for no limit, or at least min${kind}, ${least}; got ${greatest}`,
        )
      }
    }
    return undefined
  }

const counterBounds = allOf(
  objectOf({ minCount: natural, maxCount: natural, minAvailable: natural, maxAvailable: natural }),
  inOrder('Count', 'Available'),
)
const listBounds = allOf(
  objectOf({ containsValue: text, minAvailable: natural, maxAvailable: natural }),
  inOrder('Available'),
)

const noPlayers: Shape = (_, path) =>
  problemAt(path, 'is a filter of an alpha feature, which is not imitated; count players in a list or a counter')

const selector = objectOf({
  matchLabels: labels,
  matchExpressions: listOf(expression),
  gameServerState: wordOf('Ready', 'Allocated'),
  players: noPlayers,
  counters: recordOf(counterBounds),
  lists: recordOf(listBounds),
})

const priority = allOf(
  required('type', 'key'),
  objectOf({ type: wordOf('Counter', 'List'), key: some, order: orNothing(wordOf('Ascending', 'Descending')) }),
)

const counterAction = allOf(
  objectOf({ action: wordOf('Increment', 'Decrement'), amount: natural, capacity: natural }),
  (value, path) => {
    const action = value as Readonly<Record<string, unknown>>
    if (isGiven(action, 'amount') === isGiven(action, 'action')) return undefined
    return isGiven(action, 'amount')
      ? problemAt([...path, 'action'], 'must be "Increment" or "Decrement" beside an amount; got nothing')
      : problemAt([...path, 'amount'], 'must be an integer of at least 0 beside an action; got nothing')
  },
)

const listAction = objectOf({
  addValues: listOf(text),
  deleteValues: listOf(text),
  capacity: allOf(
    natural,
    leaf(`an integer from 0 to ${highestListCapacity}`, (value) => Number(value) <= highestListCapacity),
  ),
})

const spec = objectOf({
  selectors: listOf(selector),
  preferred: listOf(selector),
  required: selector,
  priorities: listOf(priority),
  scheduling: orNothing(wordOf('Packed', 'Distributed')),
  metadata: objectOf({ labels, annotations }),
  counters: recordOf(counterAction),
  lists: recordOf(listAction),
  multiClusterSetting: objectOf({
    enabled: allOf(boolean, (value, path) =>
      value === true ? problemAt(path, 'must be false: there are no other clusters here') : undefined,
    ),
    policySelector: objectOf({ matchLabels: labels, matchExpressions: listOf(expression) }),
  }),
})

const metadata = objectOf({
  name: text,
  generateName: text,
  namespace: text,
  labels: texts,
  annotations: texts,
  creationTimestamp: text,
})

const manifest = objectOf({
  apiVersion: leaf(
    '"allocation.agones.dev/v1"',
    (value) => typeof value === 'string' && /^allocation\.[a-z0-9-]+\.dev\/v1$/.test(value),
  ),
  kind: wordOf('GameServerAllocation'),
  metadata,
  spec,
  status: anything,
})

/** Fields of the spec that need the feature CountsAndLists, there and in each selector. */
const gated = ['priorities', 'counters', 'lists']

/** The first mistake of a GameServerAllocation; undefined if a cluster would take it. */
export function allocationProblem(
  value: unknown,
  featureGates: Readonly<Record<string, boolean>> = {},
): ManifestProblem | undefined {
  const problem = manifest(value, [])
  if (problem !== undefined || featureGates['CountsAndLists'] !== false) return problem
  return gateProblem((value as Readonly<Record<string, unknown>>)['spec'])
}

function gateProblem(given: unknown): ManifestProblem | undefined {
  if (!isObject(given)) return undefined
  const places: [Path, unknown][] = [[['spec'], given]]
  if (isGiven(given, 'required')) places.push([['spec', 'required'], given['required']])
  for (const kind of ['selectors', 'preferred']) {
    const list = isGiven(given, kind) ? (given[kind] as readonly unknown[]) : []
    list.forEach((one, index) => places.push([['spec', kind, index], one]))
  }
  for (const [path, place] of places) {
    const field = gated.find((name) => isObject(place) && isGiven(place, name))
    if (field !== undefined)
      return problemAt([...path, field], 'needs the feature CountsAndLists, which is switched off')
  }
  return undefined
}

function required(...names: readonly string[]): Shape {
  return (value, path) => {
    const absent = isObject(value) ? names.find((name) => !isGiven(value, name)) : undefined
    return absent === undefined ? undefined : problemAt(path, `needs the field ${JSON.stringify(absent)}`)
  }
}

/** An empty text stands for the default. */
function orNothing(shape: Shape): Shape {
  return (value, path) => (value === '' ? undefined : shape(value, path))
}
