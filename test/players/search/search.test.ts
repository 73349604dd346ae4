import { describe, expect, test } from 'vitest'
import { players } from '../../../src/players/tracking/players-reducer.js'
import { sessions } from '../../../src/players/tracking/sessions-reducer.js'
import { PlayersWorld, type Budget } from './players-world.js'
import { search, SEEDS, wander, WORLDS } from './search.js'
import { SessionsWorld, type Budget as SessionsBudget, type Rules } from './sessions-world.js'

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
    ['allocations and ends up to the last one, by a label', { ...LABELLED, thenShutdown: 'last' }, FEW],
    ['one session after the other, up to the second', { ...REUSED, thenShutdown: 2 }, FEW],
  ])('%s', (_, rules, budget) => {
    expect(search(new SessionsWorld(rules, { ...budget }), WORLDS / 4)).toBeUndefined()
  })
})

test.each(SEEDS)(
  `no session is lost or doubled, and the counter agrees within 3 s, in ${STEPS} random steps (seed %i)`,
  (seed) => expect(wander(new SessionsWorld(COUNTED, { ...ALWAYS }), STEPS, seed)).toBeUndefined(),
)

/** What a search must not be blind to: the wander mostly finds a fault sooner than the full search. */
test('the search catches trackers that forget a landed removal, have no capacity, or start a session for each object', () => {
  const forgetful = { ...players, lost() {} }
  const boundless: typeof players = {
    ...players,
    turn(state) {
      state.facts = { ...state.facts, capacity: Infinity }
      players.turn(state)
    },
  }
  const eager: typeof sessions = {
    ...sessions,
    shown(state) {
      sessions.shown(state)
      state.before = { ...state.before, generation: state.facts.generation - 1 }
    },
  }
  for (const kind of [forgetful, boundless])
    expect(wander(new PlayersWorld(CROWD, { ...ALWAYS }, kind), STEPS, 1)).toBeDefined()
  expect(wander(new SessionsWorld(COUNTED, { ...ALWAYS }, eager), STEPS, 1)).toBeDefined()
})
