import type { Random } from './random.js'
import type { FaultKind, World } from './world.js'

export interface ChaosOptions {
  /** ms between two kills */
  readonly killEvery: number
  /** ms that nobody answers after one */
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
 * Breaks things at random. The sidecar is killed for some time, then left alone for as long as late writes need: what waits
 * in a killed sidecar is lost, and would never be late.
 */
export class Chaos {
  kills = 0
  faults = 0
  private nextKill: number
  private nextFault: number
  private readonly start: number

  private readonly world: World
  private readonly random: Random
  private readonly options: ChaosOptions

  constructor(world: World, random: Random, options: ChaosOptions) {
    this.world = world
    this.random = random
    this.options = options
    this.start = world.now()
    this.nextKill = this.start + options.killEvery
    this.nextFault = this.start
  }

  act(): void {
    const { killEvery, down, late } = this.options
    const now = this.world.now()
    const killing = killEvery * 5
    const isKilling = (now - this.start) % (killing + late * 2) < killing
    if (now >= this.nextKill) {
      this.nextKill = now + killEvery
      if (isKilling) {
        this.kills++
        this.world.kill(this.random.between(down / 2, down * 2))
      }
    }
    if (now < this.nextFault) return
    const lasts = this.random.between(killEvery / 10, killEvery / 2)
    this.nextFault = now + lasts + this.random.between(0, killEvery / 2)
    this.faults++
    this.world.fault(this.random.pick(KINDS), lasts, late)
  }
}
