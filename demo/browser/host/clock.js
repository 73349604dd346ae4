/** Seconds that may be caught up after a pause; beyond it the game simply goes on from there. */
const MOST_BEHIND = 0.25

/**
 * Calls `on.step()` that many times a second, each time for a fixed piece of game time, and tells
 * `on.rate(steps)` once a second how many there were. A server can't follow `requestAnimationFrame`: it
 * doesn't come in a page that nobody looks at, and it comes 144 times a second on some screens.
 */
export function startClock(stepsPerSecond, on) {
  const length = 1 / stepsPerSecond
  const worker = new Worker('clock-worker.js')
  let last = now()
  let behind = 0
  let steps = 0
  let countedFrom = last

  worker.onmessage = () => {
    const at = now()
    behind = Math.min(behind + at - last, MOST_BEHIND)
    last = at
    for (; behind >= length; behind -= length) {
      steps += 1
      on.step()
    }
    if (at - countedFrom < 1) return
    on.rate(Math.round(steps / (at - countedFrom)))
    countedFrom = at
    steps = 0
  }
  worker.postMessage(length * 1000)
}

const now = () => performance.now() / 1000
