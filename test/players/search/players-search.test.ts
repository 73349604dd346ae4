import { describe, expect, test } from 'vitest'
import { PlayersState } from '../../../src/players/players-state.js'
import { PlayersWorld, type Budget } from './players-world.js'
import { search, SEEDS, wander, WORLDS } from './search.js'

const NOTHING: Budget = { join: 0, leave: 0, allocate: 0, fault: 0, noShow: 0 }

const STEPS = 1500
const ALWAYS: Budget = { join: STEPS, leave: STEPS, allocate: STEPS, fault: STEPS, noShow: STEPS }
const CROWD = ['ann', 'bob', 'cid', 'dan']

describe('nobody is lost or doubled, none is over capacity, and list and game agree within 3 s, in every order of', () => {
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
  `nobody is lost or doubled, none is over capacity, and list and game agree within 3 s, in ${STEPS} random steps (seed %i)`,
  (seed) => expect(wander(new PlayersWorld(CROWD, { ...ALWAYS }), STEPS, seed)).toBeUndefined(),
)

/** Trackers with one fault each. */
const PLANTED: Record<string, typeof PlayersState> = {
  'takes what was accepted for written': class extends PlayersState {
    override settle(): void {
      this.writes.forEach(({ fate }, id) => fate === 'accepted' && this.writes.delete(id))
      super.settle()
    }
  },
  'never asks': class extends PlayersState {
    override asked(): void {}
  },
  'takes a call without an answer for lost': class extends PlayersState {
    override settle(): void {
      super.settle()
      this.writes.forEach(({ fate }, id) => fate === 'unknown' && this.writes.delete(id))
    }
  },
  'forgets that a removal may have come about before a promise': class extends PlayersState {
    protected override lost(): void {}
  },
  'has no capacity': class extends PlayersState {
    override get most(): number {
      return Infinity
    }
  },
  'believes a restarted sidecar to know what it had accepted': class extends PlayersState {
    override connection(): void {}
  },
}

test.each(Object.entries(PLANTED))('a tracker that %s is caught', (_, State) => {
  // By chance it is mostly found sooner.
  const found =
    wander(new PlayersWorld(CROWD, { ...ALWAYS }, State), STEPS, 1) ??
    search(new PlayersWorld(['ann'], { ...NOTHING, join: 2, leave: 2, allocate: 2, fault: 1 }, State), WORLDS)
  expect(found).toBeDefined()
})
