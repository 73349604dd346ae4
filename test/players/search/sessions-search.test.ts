import { describe, expect, test } from 'vitest'
import { SessionsState } from '../../../src/players/sessions-state.js'
import { search, SEEDS, wander, WORLDS } from './search.js'
import { SessionsWorld, type Budget, type Rules } from './sessions-world.js'

const STEPS = 1000
const ALWAYS: Budget = { allocate: STEPS, end: STEPS, fault: STEPS }
const COUNTED: Rules = { isCounted: true }
const REUSED: Rules = { isCounted: false }

describe('no session is lost, doubled or cut off, and counter and state agree within 3 s, in every order of', () => {
  test.each<[string, Rules, Budget]>([
    ['allocations and ends with one fault, by a counter', COUNTED, { allocate: 3, end: 3, fault: 1 }],
    ['two faults around one session, by a counter', COUNTED, { allocate: 1, end: 1, fault: 2 }],
    [
      'allocations and ends up to the last one',
      { ...COUNTED, thenShutdown: 'last' },
      { allocate: 3, end: 3, fault: 1 },
    ],
    ['allocations and ends up to the second one', { ...COUNTED, thenShutdown: 2 }, { allocate: 3, end: 3, fault: 1 }],
    ['one session after the other', REUSED, { allocate: 3, end: 3, fault: 1 }],
    [
      'one session after the other, up to the second',
      { ...REUSED, thenShutdown: 2 },
      { allocate: 3, end: 3, fault: 1 },
    ],
  ])('%s', (_, rules, budget) => {
    expect(search(new SessionsWorld(rules, { ...budget }), WORLDS / 4)).toBeUndefined()
  })
})

test.each(SEEDS)(
  `no session is lost or doubled, and the counter agrees within 3 s, in ${STEPS} random steps (seed %i)`,
  (seed) => expect(wander(new SessionsWorld(COUNTED, { ...ALWAYS }), STEPS, seed)).toBeUndefined(),
)

/** Trackers with one fault each. */
const PLANTED: Record<string, typeof SessionsState> = {
  'takes what was accepted for written': class extends SessionsState {
    override settle(): void {
      this.writes.forEach(({ fate }, key) => fate === 'accepted' && this.writes.delete(key))
      super.settle()
    }
  },
  'never asks': class extends SessionsState {
    override asked(): void {}
  },
  'takes a call without an answer for lost': class extends SessionsState {
    override settle(): void {
      super.settle()
      this.writes.forEach(({ fate }, key) => fate === 'unknown' && this.writes.delete(key))
    }
  },
  'starts one session for each object': class extends SessionsState {
    protected override allocations(): number {
      return 1
    }
  },
  'believes a restarted sidecar to know what it had accepted': class extends SessionsState {
    override connection(): void {}
  },
}

test.each(Object.entries(PLANTED))('a tracker of sessions that %s is caught', (_, State) => {
  // By chance it is mostly found sooner.
  const found =
    wander(new SessionsWorld(COUNTED, { ...ALWAYS }, State), STEPS, 1) ??
    search(new SessionsWorld(COUNTED, { allocate: 3, end: 3, fault: 1 }, State), WORLDS)
  expect(found).toBeDefined()
})
