import type { Random } from './random.js'
import type { FaultKind, World } from './world.js'

export interface ChaosOptions {
  /** ms between two kills */
  readonly killEvery: number
  /** ms of downtime after a kill */
  readonly down: number
  /** ms by which late writes are late */
  readonly late: number
}

const KINDS: readonly FaultKind[] = [
  'answers-dropped',
  'requests-dropped',
  'late',
  'late-answers',
  'away',
  'deaf',
  'watch-cut',
]

/**
 * Injects random faults. The sidecar is down for some time, then left alone for as long as late writes take: a killed
 * sidecar loses its waiting writes, which then are never late.
 */
export function createChaos(world: World, random: Random, { killEvery, down, late }: ChaosOptions) {
  const start = world.now()
  const made = { kills: 0, faults: 0 }
  const next = { kill: start + killEvery, fault: start }
  return {
    made,
    act(): void {
      const now = world.now()
      const killing = killEvery * 5
      const isKilling = (now - start) % (killing + late * 2) < killing
      if (now >= next.kill) {
        next.kill = now + killEvery
        if (isKilling) {
          made.kills++
          world.kill(random.between(down / 2, down * 2))
        }
      }
      if (now < next.fault) return
      const lasts = random.between(killEvery / 10, killEvery / 2)
      next.fault = now + lasts + random.between(0, killEvery / 2)
      made.faults++
      world.fault(random.pick(KINDS), lasts, late)
    },
  }
}
