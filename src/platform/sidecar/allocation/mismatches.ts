import type { GameServer } from '../../../protocol/game-server.js'
import { lessThan, toInt64 } from '../state/int64.js'
import { own } from '../state/game-server-edits.js'
import { excerpt, show } from '../state/show.js'
import type { CounterBounds, GameServerSelector, LabelExpression, ListBounds } from './manifest.js'

/** The most values that a sentence lists. */
const mostShown = 10

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
      return counter === undefined ? [`${what} does not exist`] : counterMismatches(what, counter, bounds)
    }),
    ...Object.entries(selector.lists ?? {}).flatMap(([name, bounds]) => {
      const list = own(lists, name)
      const what = `list ${excerpt(name)}`
      return list === undefined
        ? [`${what} does not exist`]
        : listMismatches(what, list.capacity, list.values ?? [], bounds)
    }),
  ].filter((reason) => reason !== undefined)
}

/** Why labels do not fit one condition; undefined if they fit. */
export function labelMismatch(
  { key, operator, values }: LabelExpression,
  value: string | undefined,
): string | undefined {
  const given = values ?? []
  const matches = {
    In: value !== undefined && given.includes(value),
    // NotIn matches a label that isn't set.
    NotIn: value === undefined || !given.includes(value),
    Exists: value !== undefined,
    DoesNotExist: value === undefined,
  }[operator]
  if (matches) return undefined
  const shown = given.slice(0, mostShown).map(show)
  const more = given.length > mostShown ? ', …' : ''
  const expected = {
    In: `must be ${shown.join(' or ')}${more}`,
    NotIn: `must not be ${shown.join(' or ')}${more}`,
    Exists: 'must be set',
    DoesNotExist: 'must not be set',
  }[operator]
  return `label ${excerpt(key)} is ${value === undefined ? 'not set' : show(value)}, ${expected}`
}

function counterMismatches(
  what: string,
  counter: { count: string; capacity: string },
  bounds: CounterBounds,
): string[] {
  return [
    outside(counter.count, bounds.minCount, bounds.maxCount, (count) => `${what} is at ${count}, must be`),
    availableMismatch(what, counter.count, counter.capacity, bounds),
  ].filter((reason) => reason !== undefined)
}

function listMismatches(what: string, capacity: string, values: readonly string[], bounds: ListBounds): string[] {
  const wanted = bounds.containsValue ?? ''
  return [
    availableMismatch(what, String(values.length), capacity, bounds),
    wanted === '' || values.includes(wanted) ? undefined : `${what} does not contain ${show(wanted)}`,
  ].filter((reason) => reason !== undefined)
}

function availableMismatch(what: string, used: string, capacity: string, bounds: ListBounds): string | undefined {
  const available = String(BigInt(capacity) - BigInt(used))
  return outside(
    available,
    bounds.minAvailable,
    bounds.maxAvailable,
    (value) => `${what} has ${value} available (${used}/${capacity}), must have`,
  )
}

/** Says which bound a value violates; undefined for none. An upper bound of 0 is no bound. */
function outside(value: string, least: unknown, greatest: unknown, say: (value: string) => string): string | undefined {
  const from = toInt64(least ?? 0)!
  const to = toInt64(greatest ?? 0)!
  if (lessThan(value, from)) return `${say(value)} at least ${from}`
  return to !== '0' && lessThan(to, value) ? `${say(value)} at most ${to}` : undefined
}
