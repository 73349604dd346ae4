import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { answer, choose } from '../../src/platform/fleet/allocate.js'
import type { FleetStep } from '../../src/platform/fleet/fleet-step.js'
import { sortForDeletion } from '../../src/platform/fleet/ordering.js'
import { initialState } from '../../src/platform/fleet/reduce.js'
import { readAllocation } from '../../src/platform/schema/allocation.js'
import { allocate } from '../../src/platform/allocation/allocate.js'
import type { Priority } from '../../src/platform/allocation/types.js'
import type { GameServerManifest } from '../../src/platform/sidecar.js'
import { isBeingDeleted } from '../../src/platform/sidecar/state/game-server.js'
import { readyFleet, recordOf } from './support/test-fleet.js'

/** What the platform's own allocator answered. */
interface Recording {
  readonly servers: readonly GameServerManifest[]
  readonly batches: readonly {
    readonly specs: readonly object[]
    readonly answers: readonly { readonly metadata: object; readonly spec: object; readonly status: object }[]
  }[]
  readonly deletions: readonly {
    readonly scheduling: 'Packed' | 'Distributed'
    readonly priorities: readonly Priority[]
    readonly names: readonly string[]
  }[]
}

const now = Date.UTC(2026, 0, 1)
const recording = JSON.parse(
  readFileSync(new URL('fixtures/recorded-allocations.json', import.meta.url), 'utf8'),
) as Recording

/** Allocates all that is recorded, and returns the answers and the GameServers after them. */
function replay() {
  const config = { platform: 'agones', namespace: 'default', max: 100 }
  const state = {
    ...initialState({ spec: { template: {} } }, config, now),
    servers: recording.servers.map((one) => recordOf(one, now)),
  }
  const step: FleetStep = { state, effects: [], now }
  const answers = recording.batches.map(({ specs }, batch) =>
    specs.map((spec) => {
      const manifest = readAllocation({ spec })
      const choice = choose(step, manifest, batch)
      const servers = step.state.servers.map((record) => {
        if (record.name !== choice.server) return record
        const allocated = allocate(record.gameServer, manifest, 'agones', now)
        if (typeof allocated === 'string') throw new Error(allocated)
        return { ...record, gameServer: allocated.object }
      })
      step.state = { ...step.state, servers }
      return answer(step, manifest, choice, undefined).answer
    }),
  )
  return { answers, servers: step.state.servers }
}

/** An answer without times, and without what JSON doesn't tell apart. */
function comparable({ metadata, spec, status }: { metadata?: unknown; spec?: unknown; status: object }) {
  const { creationTimestamp: _, ...named } = metadata as Record<string, unknown>
  const text = JSON.stringify({ metadata: named, spec, status }, (key, value: unknown) =>
    key === 'agones.dev/last-allocated' ? 'a time' : value,
  )
  return JSON.parse(text) as unknown
}

test('recorded allocations get the answers that the platform gave', () => {
  const { answers } = replay()
  for (const [batch, { specs, answers: recorded }] of recording.batches.entries()) {
    for (const [index, expected] of recorded.entries()) {
      expect(comparable(answers[batch]![index]!), JSON.stringify(specs[index])).toEqual(comparable(expected))
    }
  }
})

test('scaling down deletes in the order of the platform', () => {
  const { servers } = replay()
  const deletable = servers.filter(
    ({ gameServer }) => !['Allocated', 'Reserved'].includes(gameServer.status.state) && !isBeingDeleted(gameServer),
  )
  for (const { scheduling, priorities, names } of recording.deletions) {
    const sorted = sortForDeletion({ scheduling, priorities }, servers, deletable).map(({ name }) => name)
    expect(sorted, JSON.stringify({ scheduling, priorities })).toEqual(names)
  }
})

const withRooms = { spec: { counters: { rooms: { count: 0, capacity: 3 } } } }
test('the answer without a GameServer counts the reasons', () => {
  const fleet = readyFleet({ fleet: { replicas: 3, template: withRooms } })
  fleet.model.allocate({})
  const { reason, answer } = fleet.model.allocate({ spec: { selectors: [{ matchLabels: { mode: 'ffa' } }] } })
  expect(reason).toBe(
    'None of 3 fits: 2 × selector 1: label mode is not set, must be "ffa"; ' +
      '1 × selector 1: state is Allocated, must be Ready, and label mode is not set, must be "ffa".',
  )
  expect(answer).toMatchObject({ reason, status: { state: 'UnAllocated', gameServerName: '', source: '' } })
})

test('the answer says why a GameServer came before the next', () => {
  const fleet = readyFleet({ fleet: { replicas: 2, template: withRooms } })
  const [first, second] = fleet.names().sort()
  fleet.control(second!, { type: 'setCounter', name: 'rooms', count: 2 })
  const { reason } = fleet.model.allocate({ spec: { priorities: [{ type: 'Counter', key: 'rooms' }] } })
  expect(reason).toBe(
    `${second}: 2 match the selector; it comes before ${first} since it has 1 available in its counter "rooms", not 3, ` +
      'and the priority is Ascending.',
  )
})

test('a sidecar that refuses makes the answer Contention', () => {
  const fleet = readyFleet({ fleet: { replicas: 1 } })
  fleet.control(fleet.names()[0]!, { type: 'apiServer', away: true })
  expect(fleet.model.allocate({})).toMatchObject({ state: 'Contention', answer: { status: { state: 'Contention' } } })
})
