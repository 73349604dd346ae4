import { createRandom } from '../../support/random.js'

/** A game, its tracker, the sidecar and the platform as one value, so that all orders can be tried. */
export interface Searchable {
  copy(): Searchable
  /** A key of everything that can affect the future: worlds with equal keys are equivalent. */
  readonly key: string
  /** The names of all possible next events. */
  readonly actions: string[]
  act(action: string): void
  /** Ends all faults and lets 3 s pass. */
  calmDown(): void
  /** Violations of the invariants of any moment. */
  readonly violation: string | undefined
  /** Violations of the invariants after the last fault. */
  readonly disagreement: string | undefined
}

/** The violations of a world now, or 3 s after its last fault. */
function problemOf(world: Searchable): string | undefined {
  const now = world.violation
  if (now) return now
  const calm = world.copy()
  calm.calmDown()
  return calm.disagreement
}

/** Turns stack traces off: the errors of failed writes need none, and stacks cost more than all the rest. */
function withoutStacks<T>(run: () => T): T {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return run()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Tries every order of events, and returns the shortest history that ends in a violation. */
export const search = (first: Searchable, most: number): string | undefined => withoutStacks(() => tryAll(first, most))

function tryAll(first: Searchable, most: number): string | undefined {
  const seen = new Set<string>()
  let level: (readonly [Searchable, string])[] = [[first, '']]
  while (level.length > 0 && seen.size < most) {
    const next: (readonly [Searchable, string])[] = []
    for (const [world, history] of level) {
      for (const action of world.actions) {
        const after = world.copy()
        after.act(action)
        const { key } = after
        if (seen.has(key)) continue
        seen.add(key)
        const steps = `${history}${action}, `
        const problem = problemOf(after)
        if (problem) return `${steps}then: ${problem}`
        next.push([after, steps])
      }
    }
    level = next
  }
  return undefined
}

/** Takes random steps, and every few steps checks a copy of the world after its last fault. */
export const wander = (world: Searchable, steps: number, seed: number): string | undefined =>
  withoutStacks(() => walk(world, steps, seed))

function walk(world: Searchable, steps: number, seed: number): string | undefined {
  const random = createRandom(seed)
  const history: string[] = []
  for (let step = 0; step < steps; step++) {
    const action = random.pick(world.actions)
    history.push(action)
    world.act(action)
    const problem = step % 5 === 0 ? problemOf(world) : world.violation
    if (problem) return `${history.slice(-40).join(', ')}, then: ${problem}`
  }
  return undefined
}

/** `SEARCH_WORLDS=100000` and `SEEDS=1000` try more. */
export const WORLDS = Number(process.env['SEARCH_WORLDS'] ?? 2000)
export const SEEDS = Array.from({ length: Number(process.env['SEEDS'] ?? 4) }, (_, index) => index + 1)
