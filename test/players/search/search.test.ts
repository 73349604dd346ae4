import { describe, expect, test } from 'vitest'
import { PlayersState } from '../../../src/players/tracking/players-state.js'
import { SessionsState } from '../../../src/players/tracking/sessions-state.js'
import { Writes } from '../../../src/players/tracking/writes.js'
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
    ['one session after the other, up to the second', { ...REUSED, thenShutdown: 2 }, FEW],
  ])('%s', (_, rules, budget) => {
    expect(search(new SessionsWorld(rules, { ...budget }), WORLDS / 4)).toBeUndefined()
  })
})

test.each(SEEDS)(
  `no session is lost or doubled, and the counter agrees within 3 s, in ${STEPS} random steps (seed %i)`,
  (seed) => expect(wander(new SessionsWorld(COUNTED, { ...ALWAYS }), STEPS, seed)).toBeUndefined(),
)

/** Methods that break any tracker. */
const BROKEN: Record<string, Partial<Writes<object, never>>> = {
  'takes what was accepted for written': {
    settle(this: Writes<object, never>) {
      this.writes.forEach(({ fate }, key) => fate === 'accepted' && this.writes.delete(key))
      Writes.prototype.settle.call(this)
    },
  },
  'never asks': { asked() {} },
  'takes a call without an answer for lost': {
    settle(this: Writes<object, never>) {
      Writes.prototype.settle.call(this)
      this.writes.forEach(({ fate }, key) => fate === 'unknown' && this.writes.delete(key))
    },
  },
  'assumes that a restarted sidecar remembers accepted writes': { connection() {} },
}

/** Trackers of players with one fault each. */
const PLAYERS: Record<string, typeof PlayersState> = {
  'forgets that a removal may have landed before a promise': class extends PlayersState {
    protected override lost(): void {}
  },
  'has no capacity': class extends PlayersState {
    override get most(): number {
      return Infinity
    }
  },
}

const SESSIONS: Record<string, typeof SessionsState> = {
  'starts one session for each object': class extends SessionsState {
    protected override allocations(): number {
      return 1
    }
  },
}

for (const [name, methods] of Object.entries(BROKEN)) {
  PLAYERS[name] = class extends PlayersState {}
  SESSIONS[name] = class extends SessionsState {}
  for (const { prototype } of [PLAYERS[name], SESSIONS[name]]) Object.assign(prototype, methods)
}

// Random steps mostly find a fault sooner than the full search.
test.each(Object.entries(PLAYERS))('the search catches a tracker of players that %s', (_, State) => {
  const one = { ...NOTHING, join: 2, leave: 2, allocate: 2, fault: 1 }
  const found =
    wander(new PlayersWorld(CROWD, { ...ALWAYS }, State), STEPS, 1) ??
    search(new PlayersWorld(['ann'], one, State), WORLDS)
  expect(found).toBeDefined()
})

test.each(Object.entries(SESSIONS))('the search catches a tracker of sessions that %s', (_, State) => {
  const found =
    wander(new SessionsWorld(COUNTED, { ...ALWAYS }, State), STEPS, 1) ??
    search(new SessionsWorld(COUNTED, { ...FEW }, State), WORLDS)
  expect(found).toBeDefined()
})

test('the search catches a tracker that repeats an unlock as soon as the watch is back', () => {
  class Hasty extends SessionsState {
    override connection(isUp: boolean): void {
      super.connection(isUp)
      for (const write of isUp ? this.writes.values() : [])
        if (write.fate !== 'sent') Object.assign(write, { ticks: 0, questions: 1 })
    }
  }
  expect(search(new SessionsWorld(LABELLED, { ...FEW }, Hasty), WORLDS)).toContain('the label was unlocked')
})
