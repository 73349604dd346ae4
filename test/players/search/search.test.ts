import { describe, expect, test } from 'vitest'
import { players } from '../../../src/players/tracking/players-reducer.js'
import { sessions } from '../../../src/players/tracking/sessions-reducer.js'
import { PlayersWorld } from './players-world.js'
import { SessionsWorld, type Rules } from './sessions-world.js'
import { SEEDS, wander } from './world.js'

const CROWD = ['ann', 'bob', 'cid', 'dan']
const COUNTED: Rules = { isCounted: true }
const LABELLED: Rules = { isLabelled: true }

test.each(SEEDS)(
  'no player is lost, doubled or over capacity, and list and game agree within 3 s, in random steps (seed %i)',
  (seed) => {
    expect(wander(() => new PlayersWorld(CROWD.slice(0, seed)), seed)).toBeUndefined()
  },
)

describe.each(SEEDS)(
  'no session is lost, doubled or cut off, and all agree within 3 s, in random steps (seed %i)',
  (seed) => {
    test.each<[string, Rules]>([
      ['by a counter', COUNTED],
      ['by a counter, up to the last one', { ...COUNTED, thenShutdown: 'last' }],
      ['by a counter, up to the second one', { ...COUNTED, thenShutdown: 2 }],
      ['by a label', LABELLED],
      ['by a label, up to the last one', { ...LABELLED, thenShutdown: 'last' }],
      ['by a label, up to the second one', { ...LABELLED, thenShutdown: 2 }],
      ['one after the other', {}],
      ['one after the other, up to the second', { thenShutdown: 2 }],
    ])('%s', (_, rules) => {
      expect(wander(() => new SessionsWorld(rules), seed)).toBeUndefined()
    })
  },
)

/** What random steps must not be blind to. */
test('the steps catch trackers that forget a landed removal, have no capacity, or start a session for each object', () => {
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
  for (const kind of [forgetful, boundless]) expect(wander(() => new PlayersWorld(CROWD, kind), 1)).toBeDefined()
  expect(wander(() => new SessionsWorld(COUNTED, eager), 1)).toBeDefined()
})
