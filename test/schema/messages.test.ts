import { describe, expect, test } from 'vitest'
import { allocationMistake } from '../../src/platform/schema/allocation.js'
import { clusterMistakes } from '../../src/platform/schema/cluster.js'
import { commandProblem } from '../../src/platform/schema/control-command.js'
import { readGameServer } from '../../src/platform/schema/game-server.js'

test.each([
  [[], 'a GameServer must be an object; got a list'],
  [{ metadata: { labels: { a: 1 } } }, 'metadata.labels.a must be text, in quotes if it looks like a number; got 1'],
  [
    { metadata: { creationTimestamp: 'soon' } },
    'metadata.creationTimestamp must be a time such as "2026-01-31T12:00:00Z"; got "soon"',
  ],
  [
    { spec: { health: { periodSeconds: 'x' } } },
    'spec.health.periodSeconds must be an integer from 0 to 2147483647; got "x"',
  ],
  [
    { status: { counters: { rooms: { count: 1.5 } } } },
    'status.counters.rooms.count must be a 64-bit integer; got 1.5',
  ],
  [{ spec: { lists: { players: { values: ['a', 5] } } } }, 'spec.lists.players.values[1] must be text; got 5'],
])('a GameServer with a mistake is refused by the path of the field: %j', (manifest, message) => {
  expect(() => readGameServer(manifest)).toThrow(message)
})

test.each<[unknown, string]>([
  [{ type: 'failCalls', status: 200 }, 'status must be an integer from 400 to 599; got 200'],
  [{ type: 'failCalls', message: 'm'.repeat(1001) }, 'message must be text of at most 1000 characters; got "m'],
  [{ type: 'delayCalls', ms: -1 }, 'ms must be a number from 0 to 2147483647; got -1'],
  [{ type: 'delayCalls', ms: 1, operations: ['fly'] }, 'operations[0] must be one of "ready", "health", '],
  [{ type: 'setState', state: '' }, 'state must be non-empty text; got ""'],
  [{ type: 'setCounter', name: 'x', count: -1 }, 'count must be an integer of at least 0; got -1'],
  [{ type: 'allocate', counters: { rooms: null } }, 'counters.rooms must be an object; got null'],
  [{ type: 'reload', gameServer: { metadata: 5 } }, 'gameServer.metadata must be an object; got 5'],
  [
    JSON.parse('{"type":"allocate","labels":{"__proto__":{"a":"b"}}}'),
    'labels.__proto__ must be text, in quotes if it looks like a number; got an object',
  ],
  [
    { type: 'allocate', labels: { constructor: 5 } },
    'labels.constructor must be text, in quotes if it looks like a number; got 5',
  ],
  [{ type: 'fly' }, 'the command has no type "fly"; there are allocate, setState, '],
  [{ type: 'setlabel', key: 'a', value: 'b' }, 'the command has no type "setlabel"; did you mean "setLabel"?'],
  [{ type: 'setLabel', key: 'a', vlaue: 'b' }, 'setLabel has no field "vlaue"; did you mean "value"?'],
  [{ type: 'setLabel', key: 'a' }, 'setLabel needs the field "value"'],
  [{ type: 'ignoreBeats', on: 'yes' }, 'on must be true or false; got "yes"'],
  [{ type: 'clearFaults', now: true }, 'clearFaults has no field "now"; it has none at all'],
  [{ type: 'allocate', manifest: {}, labels: { a: 'b' } }, 'labels must be absent beside a manifest, which has '],
  [{ type: 'failCalls', drop: true, status: 500 }, 'status must be absent beside drop, which leaves no answer'],
  [null, 'the command must be an object with a "type"; got null'],
  [{}, 'the command has no type; there are allocate, '],
])('a control command with a mistake is refused by the path of the field: %j', (command, message) => {
  expect(commandProblem(command)?.slice(0, message.length)).toBe(message)
})

describe('a GameServerAllocation with a mistake is refused by the path of the field', () => {
  test.each<[unknown, string]>([
    [5, 'the manifest must be an object; got 5'],
    [{ sepc: {} }, 'the manifest has no field "sepc"; did you mean "spec"?'],
    [{ kind: 'GameServer' }, 'kind must be "GameServerAllocation"; got "GameServer"'],
    [{ apiVersion: 'agones.dev/v1' }, 'apiVersion must be "allocation.agones.dev/v1"; got "agones.dev/v1"'],
  ])('%j', (manifest, message) => {
    expect(allocationMistake(manifest)?.message).toBe(message)
  })

  const annotations = { a: 'x'.repeat(300_000) }
  test.each<[object, string]>([
    [{ selectors: {} }, '.selectors must be a list; got an object'],
    [{ scheduling: 'packed' }, '.scheduling must be "Packed" or "Distributed"; got "packed"; did you mean "Packed"?'],
    [{ priorities: [{ type: 'Counter' }] }, '.priorities[0] needs the field "key"'],
    [{ counters: { a: { amount: 1 } } }, '.counters.a.action must be "Increment" or "Decrement" beside an amount; '],
    [{ counters: { a: { action: 'Increment' } } }, '.counters.a.amount must be an integer of at least 0 beside an '],
    [{ lists: { players: { capacity: 1001 } } }, '.lists.players.capacity must be an integer from 0 to 1000; got 1001'],
    [{ metadata: { annotations } }, '.metadata.annotations have 300001 bytes; a cluster takes at most 262144'],
    [{ multiClusterSetting: { enabled: true } }, '.multiClusterSetting.enabled must be false: there are no other '],
  ])('spec: %j', (spec, message) => {
    expect(allocationMistake({ spec })?.message.slice(0, 4 + message.length)).toBe(`spec${message}`)
  })

  const expression = (operator: string, values?: string[]) => ({ matchExpressions: [{ key: 'a', operator, values }] })
  test.each<[object, string]>([
    [{ counters: { a: { minCapacity: 1 } } }, 'counters.a has no field "minCapacity"; there are minCount, maxCount, '],
    [{ matchLabels: { a: 'b c' } }, 'matchLabels.a must be at most 63 letters, digits, "-", "_" or "."; got "b c"'],
    [{ matchLabels: { 'b c': 'x' } }, 'matchLabels.b c must be a key of at most 63 letters, digits, "-", "_" or ".", '],
    [{ matchExpressions: [{ key: 'a' }] }, 'matchExpressions[0] needs the field "operator"'],
    [expression('in', ['x']), 'matchExpressions[0].operator can\'t be "in"; did you mean "In"?'],
    [expression('In'), 'matchExpressions[0].values must hold a value for the operator In'],
    [expression('Exists', ['x']), 'matchExpressions[0].values must be absent for Exists'],
    [{ counters: { rooms: { minCount: '1' } } }, 'counters.rooms.minCount must be an integer of at least 0; got "1"'],
    [
      { lists: { players: { minAvailable: 5, maxAvailable: 2 } } },
      'lists.players.maxAvailable must be 0, for no limit, or at least minAvailable, 5; got 2',
    ],
  ])('selector: %j', (selector, message) => {
    const whole = `spec.selectors[1].${message}`
    const found = allocationMistake({ spec: { selectors: [{}, selector] } })?.message
    expect(found?.slice(0, whole.length)).toBe(whole)
  })

  test('null stands for an absent field, as in a cluster', () => {
    const nothing = { selectors: null, metadata: { labels: null }, counters: null, scheduling: '' }
    expect(allocationMistake({ metadata: null, spec: nothing })).toBeUndefined()
  })
})

/** What a cluster refuses in a GameServer. */
const refusals = (spec: object): readonly string[] => {
  const manifest = { apiVersion: 'agones.dev/v1', kind: 'GameServer', metadata: { name: 'arena' }, spec }
  return clusterMistakes(manifest).map(({ message }) => message)
}
const ports = [{ containerPort: 7777, protocol: 'TCP' }]
const containers = [{ name: 'game', image: 'arena:1' }]

test('a number that is no integer and out of bounds is one mistake of a cluster', () => {
  const numbers = { ports: [{ containerPort: 0.5, protocol: 'TCP' }], health: { periodSeconds: -1.5 } }
  expect(refusals({ ...numbers, template: { spec: { containers } } })).toEqual([
    'spec.ports[0].containerPort must be an integer from 1 to 65535; got 0.5',
    'spec.health.periodSeconds must be an integer of at least 0; got -1.5',
  ])
})

test('where there is no container, its name is no mistake of a cluster', () => {
  expect(refusals({ ports, container: 'game', template: { spec: { containers: [] } } })).toEqual([
    'spec.template.spec.containers must hold the container of the game; got none',
  ])
})
