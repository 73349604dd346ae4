import { describe, expect, test } from 'vitest'
import { players } from '../../../src/players/tracking/players-reducer.js'
import { sessions } from '../../../src/players/tracking/sessions-reducer.js'
import * as writes from '../../../src/players/tracking/writes.js'
import { PlayersWorld, type Budget } from './players-world.js'
import { search, SEEDS, wander, WORLDS } from './search.js'
import { SessionsWorld, type Budget as SessionsBudget, type Rules } from './sessions-world.js'
import { CHANGES, type Changes } from './world.js'

const STEPS = 1500
const CROWD = ['ann', 'bob', 'cid', 'dan']
const NOTHING: Budget = { join: 0, leave: 0, allocate: 0, fault: 0, noShow: 0 }
const ALWAYS = { join: STEPS, leave: STEPS, allocate: STEPS, fault: STEPS, noShow: STEPS, end: STEPS }
const COUNTED: Rules = { isCounted: true }
const LABELLED: Rules = { isLabelled: true }
const REUSED: Rules = {}
const FEW: SessionsBudget = { allocate: 3, end: 3, fault: 1 }

describe('no player is lost, doubled or over capacity, and list and game agree within 3 s, in every order of', () => {
  test.each<[string, string[], Partial<Budget>]>([
    ['joins, leaves and allocations with one fault', ['ann'], { join: 2, leave: 2, allocate: 2, fault: 1 }],
    ['two faults around one player', ['ann'], { join: 2, leave: 1, allocate: 1, fault: 2 }],
    ['three players on two seats', ['ann', 'bob', 'cid'], { join: 3, leave: 1, allocate: 1, fault: 1 }],
    ['promises that nobody takes', ['ann', 'bob'], { join: 1, leave: 1, allocate: 2, fault: 1, noShow: 2 }],
  ])('%s', (_, ids, budget) => {
    expect(search(new PlayersWorld(ids, { ...NOTHING, ...budget }), WORLDS)).toBeUndefined()
  })
})

test.each(SEEDS)(
  `no player is lost, doubled or over capacity, and list and game agree within 3 s, in ${STEPS} random steps (seed %i)`,
  (seed) => expect(wander(new PlayersWorld(CROWD, { ...ALWAYS }), STEPS, seed)).toBeUndefined(),
)

describe('no session is lost, doubled or cut off, and counter and state agree within 3 s, in every order of', () => {
  test.each<[string, Rules, SessionsBudget]>([
    ['allocations and ends with one fault, by a counter', COUNTED, FEW],
    ['two faults around one session, by a counter', COUNTED, { allocate: 1, end: 1, fault: 2 }],
    ['allocations and ends up to the last one', { ...COUNTED, thenShutdown: 'last' }, FEW],
    ['allocations and ends up to the second one', { ...COUNTED, thenShutdown: 2 }, FEW],
    ['one session after the other', REUSED, FEW],
    ['allocations and ends with one fault, by a label', LABELLED, FEW],
    ['allocations and ends up to the second one, by a label', { ...LABELLED, thenShutdown: 2 }, FEW],
    ['one session after the other, up to the second', { ...REUSED, thenShutdown: 2 }, FEW],
  ])('%s', (_, rules, budget) => {
    expect(search(new SessionsWorld(rules, { ...budget }), WORLDS / 4)).toBeUndefined()
  })
})

test.each(SEEDS)(
  `no session is lost or doubled, and the counter agrees within 3 s, in ${STEPS} random steps (seed %i)`,
  (seed) => expect(wander(new SessionsWorld(COUNTED, { ...ALWAYS }), STEPS, seed)).toBeUndefined(),
)

/** Changes that break any tracker. */
const BROKEN: Record<string, Partial<Changes>> = {
  'takes what was accepted for written': {
    settle(state, kind) {
      state.writes.forEach(({ fate }, key) => fate === 'accepted' && state.writes.delete(key))
      writes.settle(state, kind)
    },
  },
  'never asks': { endCheck() {} },
  'takes a call without an answer for lost': {
    settle(state, kind) {
      writes.settle(state, kind)
      state.writes.forEach(({ fate }, key) => fate === 'unknown' && state.writes.delete(key))
    },
  },
  'assumes that a restarted sidecar remembers accepted writes': { connection() {} },
}
const everyTracker = Object.entries(BROKEN).map(([name, broken]): Broken<unknown> => [
  name,
  {},
  { ...CHANGES, ...broken },
])

type Broken<Kind> = [name: string, broken: Partial<Kind>, changes: Changes]

/** Trackers of players with one fault each. */
const PLAYERS: Broken<typeof players>[] = [
  ...everyTracker,
  ['forgets that a removal may have landed before a promise', { lost() {} }, CHANGES],
  [
    'has no capacity',
    {
      turn(state) {
        state.facts = { ...state.facts, capacity: Infinity }
        players.turn(state)
      },
    },
    CHANGES,
  ],
]

const SESSIONS: Broken<typeof sessions>[] = [
  ...everyTracker,
  [
    'starts one session for each object',
    {
      shown(state) {
        sessions.shown(state)
        state.before = { ...state.before, generation: state.facts.generation - 1 }
      },
    },
    CHANGES,
  ],
]

// Random steps mostly find a fault sooner than the full search.
test.each<Broken<typeof players>>(PLAYERS)('the search catches a tracker of players that %s', (_, broken, changes) => {
  const kind = { ...players, ...broken }
  const one = { ...NOTHING, join: 2, leave: 2, allocate: 2, fault: 1 }
  const found =
    wander(new PlayersWorld(CROWD, { ...ALWAYS }, kind, changes), STEPS, 1) ??
    search(new PlayersWorld(['ann'], one, kind, changes), WORLDS)
  expect(found).toBeDefined()
})

test.each<Broken<typeof sessions>>(SESSIONS)(
  'the search catches a tracker of sessions that %s',
  (_, broken, changes) => {
    const kind = { ...sessions, ...broken }
    const found =
      wander(new SessionsWorld(COUNTED, { ...ALWAYS }, kind, changes), STEPS, 1) ??
      search(new SessionsWorld(COUNTED, { ...FEW }, kind, changes), WORLDS)
    expect(found).toBeDefined()
  },
)

test('the search catches a tracker that repeats an unlock as soon as the watch is back', () => {
  const hasty: Changes = {
    ...CHANGES,
    connection(state, isUp) {
      writes.connection(state, isUp)
      for (const write of isUp ? state.writes.values() : [])
        if (write.fate !== 'sent') Object.assign(write, { ticks: 0, questions: 1 })
    },
  }
  expect(search(new SessionsWorld(LABELLED, { ...FEW }, sessions, hasty), WORLDS)).toContain('the label was unlocked')
})
