/** What a case changes of a GameServer. */
export interface Change {
  readonly labels?: object
  readonly status?: object
}

/** An allocation, and what is changed before of the first GameServer, the second and so on. */
export interface Case {
  readonly title: string
  readonly asked: object | string | undefined
  readonly changes: readonly Change[]
}

type Row = readonly [title: string, asked: Case['asked'], ...changes: readonly Change[]]

const cases = (...rows: readonly Row[]): readonly Case[] =>
  rows.map(([title, asked, ...changes]) => ({ title, asked, changes }))

const mode = (mode: string): Change => ({ labels: { mode } })
const playing = (count: number): Change => ({ status: { counters: { players: { count, capacity: 8 } } } })
const seated = (...values: string[]): Change => ({ status: { lists: { roster: { capacity: 8, values } } } })
export const used: Change = { status: { state: 'Allocated' } }
const same: Change = {}
const three = seated('ann', 'bob', 'cem')

const select = (...selectors: object[]): object => ({ selectors })
const modeIs = (value: string): object => ({ matchLabels: { mode: value } })
const modeIf = (operator: string, values?: string[]): object =>
  select({ matchExpressions: [{ key: 'mode', operator, values }] })
const counter = (bounds: object): object => select({ counters: { players: bounds } })
const list = (bounds: object): object => select({ lists: { roster: bounds } })
const count = (players: object): object => ({ counters: { players } })
const seat = (roster: object): object => ({ lists: { roster } })
const first = (type: string, key: string, order?: string): object => ({ priorities: [{ type, key, order }] })
const emptyRoster = { type: 'List', key: 'roster' }
const put = (metadata: object): object => ({ metadata })
const isAllocated = { gameServerState: 'Allocated' }

/** Specs that a cluster accepts. */
export const accepted = cases(
  ['an empty spec', {}],
  ['no spec', undefined],
  ['null for nothing', { selectors: null, priorities: null, counters: null, metadata: null }],
  ['a label that no server has', select(modeIs('x'))],
  ['a label', select(modeIs('x')), same, mode('y'), mode('x')],
  ['In', modeIf('In', ['y', 'z']), same, mode('x'), mode('y')],
  ['NotIn', modeIf('NotIn', ['x']), mode('x'), mode('x')],
  ['Exists', modeIf('Exists'), same, same, same, mode('x')],
  ['DoesNotExist', modeIf('DoesNotExist'), mode('x'), mode('y'), same, mode('z')],
  ['the second selector', select(modeIs('x'), modeIs('y')), same, mode('y')],
  ['the first selector before the first server', select(modeIs('x'), {}), same, mode('x')],
  ['preferred and required', { preferred: [modeIs('x')], required: {} }, same, same, mode('x')],
  ['required', { required: modeIs('x') }, same, same, mode('x')],
  ['no Allocated server', select(isAllocated)],
  ['an Allocated server', select(isAllocated), same, used, used],
  ['an Allocated server, else a Ready one', select(isAllocated, {})],
  ['minAvailable of a counter', counter({ minAvailable: 3 }), playing(6), playing(5)],
  ['maxAvailable of a counter', counter({ maxAvailable: 3 }), playing(4), playing(5)],
  ['minCount', counter({ minCount: 2 }), playing(1), playing(2)],
  ['maxCount', counter({ maxCount: 2 }), playing(3), playing(2)],
  ['bounds of an unknown counter', select({ counters: { rooms: {} } })],
  ['containsValue', list({ containsValue: 'bob' }), seated('ann'), three],
  ['minAvailable of a list', list({ minAvailable: 7 }), three, seated('ann')],
  ['maxAvailable of a list', list({ maxAvailable: 6 }), seated('ann'), three],
  ['the fullest counter first', first('Counter', 'players', 'Ascending'), playing(1), playing(7), playing(3)],
  ['the emptiest counter first', first('Counter', 'players', 'Descending'), playing(1), playing(7)],
  ['the default order', first('Counter', 'players'), playing(1), playing(7), playing(3)],
  ['the fullest list first', first('List', 'roster', 'Ascending'), seated('ann'), three],
  ['the emptiest list first', first('List', 'roster', 'Descending'), seated('ann'), three, same, seated('ann')],
  ['priority of an unknown counter', first('Counter', 'rooms'), playing(1), playing(7)],
  ['two priorities', { priorities: [emptyRoster, { type: 'Counter', key: 'players' }] }, same, playing(1)],
  ['Distributed with a priority', { scheduling: 'Distributed', ...first('Counter', 'players') }, same, playing(7)],
  ['Increment', count({ action: 'Increment', amount: 2 }), playing(3)],
  ['Increment beyond the capacity', count({ action: 'Increment', amount: 20 })],
  ['Increment after a new capacity', count({ action: 'Increment', amount: 20, capacity: 10 })],
  ['Decrement below 0', count({ action: 'Decrement', amount: 20 }), playing(3)],
  ['a capacity below the count', count({ capacity: 2 }), playing(3)],
  ['an action on an unknown counter', { counters: { rooms: { action: 'Increment', amount: 1 } } }],
  ['addValues', seat({ addValues: ['dan', 'eve'] }), three],
  ['addValues, twice and beyond the capacity', seat({ addValues: ['bob', ...'defghi'] }), three],
  ['deleteValues', seat({ deleteValues: ['bob', 'eve'] }), three],
  ['addValues and deleteValues', seat({ addValues: ['dan'], deleteValues: ['dan', 'ann'] }), three],
  ['a capacity below the length', seat({ capacity: 2 }), three],
  ['an action on an unknown list', { lists: { bots: { addValues: ['r2'] } } }],
  ['labels and annotations', put({ labels: { tier: 'gold' }, annotations: { map: 'the moon, by night' } })],
  ['another value of a label', put({ labels: { mode: 'x' } }), mode('y')],
)

/** Specs that a cluster refuses. */
export const refused = cases(
  ['a scheduling that is no word', { scheduling: 'Sideways' }],
  ['a state that no selector may have', select({ gameServerState: 'Reserved' })],
  ['minCount below 0', counter({ minCount: -1 })],
  ['maxCount below minCount', counter({ minCount: 3, maxCount: 2 })],
  ['maxAvailable below minAvailable', list({ minAvailable: 3, maxAvailable: 2 })],
  ['a priority without a key', first('Counter', '')],
  ['a priority of no type', first('Number', 'players')],
  ['an order that is no word', first('Counter', 'players', 'Upwards')],
  ['an action without an amount', count({ action: 'Increment' })],
  ['an amount without an action', count({ amount: 1 })],
  ['an amount below 0', count({ action: 'Increment', amount: -1 })],
  ['a capacity below 0', seat({ capacity: -1 })],
  ['a label with a space', put({ labels: { mode: 'b c' } })],
  ['a label key with a space', put({ labels: { 'b c': 'x' } })],
  ['an annotation key with a space', put({ annotations: { 'b c': 'x' } })],
  ['an operator that is no word', modeIf('Like', ['x'])],
  ['In without values', modeIf('In')],
  ['Exists with values', modeIf('Exists', ['x'])],
  ['two mistakes', { scheduling: 'Sideways', ...count({ amount: 1 }) }],
  ['text for a number', count({ action: 'Increment', amount: '1' })],
  ['a fraction for an integer', count({ action: 'Increment', amount: 1.5 })],
  ['a number for text', { scheduling: 1 }],
  ['a list for an object', select([])],
)

/** Specs that a cluster accepts, where it ignores the mistake. */
export const ignored = cases(
  ['an unknown field', { selector: {} }],
  ['an action that is no word', count({ action: 'Multiply', amount: 2 })],
  ['a capacity that no list may have', seat({ capacity: 2000 })],
)

const names = { apiVersion: 'allocation.agones.dev/v1', kind: 'GameServerAllocation' }

export const manifestOf = (spec: Case['asked']): object => ({ ...names, spec })

/** Whole bodies of a request. */
export const manifests = cases(
  ['a name and labels of its own', { ...names, metadata: { name: 'mine', labels: { a: 'b' } } }],
  ['generateName', { ...names, metadata: { generateName: 'mine-' } }],
  ['another namespace', { ...names, metadata: { namespace: 'elsewhere' } }],
  ['a status', { ...names, status: { state: 'Allocated' } }],
  ['another version', { ...names, apiVersion: 'allocation.agones.dev/v2' }],
  ['no JSON', '{'],
  ['nothing', ''],
)

const selectGame = (...gameServerSelectors: object[]): object => ({ gameServerSelectors })

/** Requests of the allocator service, which has its own names of fields. */
export const requests = cases(
  ['nothing', {}],
  ['a label', selectGame(modeIs('x')), same, mode('x')],
  ['a label that no server has', selectGame(modeIs('x'))],
  ['an Allocated server', selectGame({ gameServerState: 'ALLOCATED' }), same, used],
  ['actions', { ...count({ action: 'Increment', amount: '2' }), ...seat({ addValues: ['ann'] }) }],
  ['labels and annotations', put({ labels: { tier: 'gold' }, annotations: { map: 'moon' } })],
  ['a priority', first('Counter', 'players', 'Ascending'), same, playing(3)],
  ['Distributed, and words by their number', { scheduling: 1, priorities: [{ type: 1, key: 'roster' }] }, same, three],
  ['an unknown field', { selectors: [] }],
  ['minCount below 0', selectGame({ counters: { players: { minCount: -1 } } })],
  ['a label with a space', put({ labels: { mode: 'b c' } })],
  ['an action without an amount', count({ action: 'Increment' })],
  ['a number for a list', { gameServerSelectors: 5 }],
  ['a word for a number', count({ amount: 'x' })],
)
