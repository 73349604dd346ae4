import type { GameServer } from '../../protocol/game-server.js'
import { isBeingDeleted, own } from '../sidecar/state/game-server.js'
import { lessThan, toInt64 } from '../sidecar/state/int64.js'
import { excerpt, show } from '../sidecar/state/show.js'
import type { GameServerAllocation, GameServerSelector, LabelExpression, ListBounds } from './types.js'

/** The most selectors, and the most values of a label, that a sentence lists. */
const MOST_SHOWN = 10

interface NamedSelector {
  readonly name: string
  readonly selector: GameServerSelector
}

/** The selectors in the order in which they are tried, each with its name. */
export function selectorsOf({ spec }: GameServerAllocation): NamedSelector[] {
  const { selectors, preferred, required } = spec ?? {}
  if (selectors && selectors.length > 0) {
    return selectors.map((selector, index) => ({ name: `selector ${index + 1}`, selector }))
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

/** Why an allocation doesn't take a GameServer; undefined if it does. */
export function whyNot(manifest: GameServerAllocation, object: GameServer): string | undefined {
  const elsewhere = otherNamespace(manifest, object.object_meta.namespace)
  if (elsewhere !== undefined) return `the GameServer ${elsewhere}`
  if (isBeingDeleted(object)) return 'the GameServer is being deleted'
  const reasons = selectorsOf(manifest).map((selector) => mismatchText(selector, object))
  if (reasons.includes('')) return undefined
  const more = reasons.length - MOST_SHOWN
  const shown = reasons.slice(0, MOST_SHOWN).map((reason) => excerpt(reason, 500))
  return `${shown.join('; ')}${more > 0 ? `; and ${more} more selectors` : ''}`
}

/** By what a GameServer fails a selector; empty if it matches. */
export function mismatchText({ name, selector }: NamedSelector, object: GameServer): string {
  const why = mismatches(selector, object).join(', and ')
  return why === '' || name === '' ? why : `${name}: ${why}`
}

/** Why a GameServer doesn't match a selector, a phrase for each reason; empty if it matches. */
export function mismatches(selector: GameServerSelector, object: GameServer): string[] {
  const { state, counters, lists } = object.status
  const wanted = selector.gameServerState ?? 'Ready'
  const labels = object.object_meta.labels ?? {}
  return [
    state === wanted ? undefined : `state is ${excerpt(state) || 'empty'}, must be ${wanted}`,
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) =>
      labelMismatch({ key, operator: 'In', values: [value] }, own(labels, key)),
    ),
    ...(selector.matchExpressions ?? []).map((expression) => labelMismatch(expression, own(labels, expression.key))),
    ...Object.entries(selector.counters ?? {}).flatMap(([name, bounds]) => {
      const counter = own(counters, name)
      const what = `counter ${excerpt(name)}`
      if (counter === undefined) return `${what} does not exist`
      const isAt = (count: string): string => `${what} is at ${count}, must be`
      return [
        outside(counter.count, bounds.minCount, bounds.maxCount, isAt),
        availableMismatch(what, counter.count, counter.capacity, bounds),
      ]
    }),
    ...Object.entries(selector.lists ?? {}).flatMap(([name, bounds]) => {
      const list = own(lists, name)
      const what = `list ${excerpt(name)}`
      if (list === undefined) return `${what} does not exist`
      const { containsValue } = bounds
      const lacksValue = containsValue && list.values?.includes(containsValue) !== true
      return [
        availableMismatch(what, String(list.values?.length ?? 0), list.capacity, bounds),
        lacksValue ? `${what} does not contain ${show(containsValue)}` : undefined,
      ]
    }),
  ].filter((reason) => reason !== undefined)
}

/** Why labels do not fit one condition; undefined if they fit. */
export function labelMismatch(
  { key, operator, values }: LabelExpression,
  value: string | undefined,
): string | undefined {
  const given = values ?? []
  const isGiven = value !== undefined && given.includes(value)
  // NotIn matches a label that isn't set.
  const fits = { In: isGiven, NotIn: !isGiven, Exists: value !== undefined, DoesNotExist: value === undefined }
  if (fits[operator]) return undefined
  const words = given.slice(0, MOST_SHOWN).map(show).join(' or ') + (given.length > MOST_SHOWN ? ', …' : '')
  const expected = {
    In: `must be ${words}`,
    NotIn: `must not be ${words}`,
    Exists: 'must be set',
    DoesNotExist: 'must not be set',
  }[operator]
  return `label ${excerpt(key)} is ${value === undefined ? 'not set' : show(value)}, ${expected}`
}

function availableMismatch(what: string, used: string, capacity: string, bounds: ListBounds): string | undefined {
  const available = String(BigInt(capacity) - BigInt(used))
  const has = (value: string): string => `${what} has ${value} available (${used}/${capacity}), must have`
  return outside(available, bounds.minAvailable, bounds.maxAvailable, has)
}

/** Says which bound a value violates; undefined for none. An upper bound of 0 is no bound. */
function outside(
  value: string,
  least: unknown,
  greatest: unknown,
  describe: (value: string) => string,
): string | undefined {
  const from = toInt64(least ?? 0)!
  const to = toInt64(greatest ?? 0)!
  if (lessThan(value, from)) return `${describe(value)} at least ${from}`
  return to !== '0' && lessThan(to, value) ? `${describe(value)} at most ${to}` : undefined
}
