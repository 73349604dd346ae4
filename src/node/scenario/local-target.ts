import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalSidecar } from '../local/local-sidecar.js'
import type { Target } from './types.js'

/** Longest sleep by a real timer: the sidecar's clock may be set or put forward meanwhile, also from its dashboard. */
const MOST_MS = 250

/** A local sidecar that a scenario plays with, and its clock, which may run faster than that of this process. */
export function localTarget(local: LocalSidecar): Target {
  const { sidecar } = local
  const now = (): number => sidecar.snapshot().now
  return {
    sidecar,
    sleep: async (ms, signal) => {
      const end = now() + ms
      for (let left = ms; left > 0 && !signal.aborted; left = end - now()) {
        await sleep(Math.min(MOST_MS, left / speedOf(local)), undefined, { signal }).catch(() => undefined)
      }
    },
    control: (command) => local.control(command),
    advance: (ms) => local.control({ type: 'advanceClock', ms }),
  }
}

/** A clock that stands still is looked at now and then: a person may start it again. */
const speedOf = ({ sidecar }: LocalSidecar): number => Math.max(sidecar.snapshot().clock.speed, 0.001)
