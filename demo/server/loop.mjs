const STEPS_A_SECOND = 30
/** Seconds that may be caught up after a pause; beyond it the game simply goes on from there. */
const MOST_BEHIND = 0.25
/** Seconds without a step after which the loop counts as hung. */
const HUNG_AFTER = 1

/** Calls `step(seconds)` 30 times a second with a fixed step. */
export function startLoop(step) {
  const length = 1 / STEPS_A_SECOND
  let last = now()
  let behind = 0
  const timer = setInterval(() => {
    const at = now()
    behind = Math.min(behind + at - last, MOST_BEHIND)
    last = at
    for (; behind >= length; behind -= length) step(length)
  }, length * 500)
  return {
    /** What the sidecar's beats depend on: a game that hangs is not healthy. */
    isAlive: () => now() - last < HUNG_AFTER,
    stop: () => clearInterval(timer),
  }
}

const now = () => performance.now() / 1000
