/** Milliseconds of one pass through the event loop that are used at most, or for one piece of work. */
const PASS_MS = 2

/**
 * Does work that can wait for a moment, in its order, and lets everything else have its turn between the pieces. What a
 * piece throws is uncaught, and the others are done.
 */
export function createTurns(): (work: () => void) => void {
  let waiting: (() => void)[] = []
  let next = 0

  function pass(): void {
    const end = performance.now() + PASS_MS
    try {
      do waiting[next++]!()
      while (next < waiting.length && performance.now() < end)
    } finally {
      if (next < waiting.length) {
        setImmediate(pass)
      } else {
        waiting = []
        next = 0
      }
    }
  }
  return (work) => {
    if (waiting.push(work) === 1) setImmediate(pass)
  }
}
