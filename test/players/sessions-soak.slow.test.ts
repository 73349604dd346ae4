import { describe, expect, test } from 'vitest'
import { play, ROOM, type MockGame } from './sessions-support.js'

/** Numbers from 0 up to 1 that follow from a seed. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

interface Run {
  readonly game: MockGame
  readonly random: () => number
  readonly undo: (() => void)[]
  allocated: number
}

/** Allocates as a cluster does: only where a place is free, and while the API server answers. */
function allocate(run: Run): void {
  const { mock, count, capacity } = run.game
  if (count() >= capacity()) return
  try {
    mock.allocate(ROOM)
    run.allocated++
  } catch {
    // The API server is away.
  }
}

async function endOne({ game: { sessions }, random }: Run): Promise<void> {
  const { active } = sessions
  if (active.length) await active[Math.floor(random() * active.length)]!.end()
}

/** What goes wrong, each for up to `ms`. */
const faults: readonly ((run: Run, ms: number) => unknown)[] = [
  ({ game }) => game.mock.dropWatch(),
  ({ game }, downMs) => game.mock.restart({ downMs }),
  (run) => run.undo.push(run.game.mock.fail('updateCounter', { network: 'reset', apply: isTrue(run), times: 1 })),
  (run) => run.undo.push(run.game.mock.fail('updateCounter', { network: 'timeout', apply: isTrue(run), times: 1 })),
  (run) => run.undo.push(run.game.mock.fail('updateCounter', { status: 502, apply: isTrue(run), times: 1 })),
  (run) => run.undo.push(run.game.mock.fail('updateCounter', { delay: 3000, times: 1 })),
  (run) => run.undo.push(run.game.mock.fail('getCounter', { status: 500, times: 1 })),
  ({ game }, ms) => game.mock.control({ type: 'apiServer', away: true, ms: ms * 10 }),
  ({ game }, ms) => game.mock.control({ type: 'stallWatchers', ms }),
  ({ game }) => game.mock.control({ type: 'loseWrites' }),
]
const isTrue = ({ random }: Run): boolean => random() < 0.5

async function step(run: Run): Promise<void> {
  const { game, random } = run
  const kind = Math.floor(random() * 60)
  const ms = 1 + Math.floor(random() * 1500)
  if (kind < faults.length) faults[kind]!(run, ms)
  else if (kind < 30) allocate(run)
  else if (kind < 45) await endOne(run)
  else await game.mock.advance(ms)
  await game.mock.advance(1)
}

describe('2,000 random steps, of which one in six is a fault', () => {
  test.each([1, 2, 3])(
    'no session is lost or started twice, none is one too many, and the counter ends as the sessions that run (seed %i)',
    async (seed) => {
      const run: Run = { game: await play({ counter: 'rooms' }), random: randomOf(seed), undo: [], allocated: 0 }
      const { mock, sessions, count, errors, writes } = run.game
      let most = 0
      for (let steps = 0; steps < 2000; steps++) {
        await step(run)
        most = Math.max(most, sessions.active.length)
      }
      run.undo.forEach((undo) => undo())
      mock.control({ type: 'clearFaults' })
      mock.control({ type: 'apiServer', away: false })
      await mock.advance(60_000)

      expect({ started: sessions.started, count: count() }).toEqual({
        started: run.allocated,
        count: sessions.active.length,
      })
      expect(run.allocated).toBeGreaterThan(50)
      expect(most).toBeLessThanOrEqual(10)
      // No difference was sent twice: else one would have had to be taken back.
      const differences = writes().flatMap(({ body }) => (body as { countDiff?: string }).countDiff ?? [])
      expect(differences.filter((difference) => !difference.startsWith('-'))).toEqual([])
      expect(errors).toEqual([])
    },
  )
})
