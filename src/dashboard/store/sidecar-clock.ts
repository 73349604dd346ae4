import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import type { SidecarSnapshot } from '../../sidecar/index.js'

const TICK = 250

export interface SidecarClock {
  readonly now: ReadonlySignal<number>
  /** Sets the clock by a state that has just come. */
  set(snapshot: SidecarSnapshot): void
}

/** The sidecar's clock between two states. */
export function createClock(): SidecarClock {
  let base = { now: Date.now(), at: performance.now(), speed: 1 }
  const read = (): number => base.now + (performance.now() - base.at) * base.speed
  const now = signal(read())
  setInterval(() => {
    if (!document.hidden) now.value = read()
  }, TICK)
  return {
    now,
    set(snapshot) {
      base = { now: snapshot.now, at: performance.now(), speed: snapshot.clock.speed }
      now.value = read()
    },
  }
}
