import type { FrameCallback, PageWindow } from './page.js'

const FRAME_MS = 1_000 / 60

/**
 * Gives the page its frames by a timer, 60 a second. The browser's own frames pass through its compositor, which takes
 * 3 % of a core and has nobody to draw for.
 */
export function frameByTimer(page: PageWindow): void {
  const { performance } = page
  const now = performance.now.bind(performance)
  const setTimeout = page.setTimeout.bind(page)
  const reportError = page.reportError.bind(page)
  const frames = { waiting: new Map<number, FrameCallback>(), lastId: 0, due: 0, isDue: false }

  const run = (): void => {
    frames.isDue = false
    const time = now()
    // A callback that asks for another frame gets the next one, and one that was cancelled meanwhile isn't called.
    for (const id of [...frames.waiting.keys()]) {
      const callback = frames.waiting.get(id)
      frames.waiting.delete(id)
      try {
        callback?.(time)
      } catch (error) {
        reportError(error)
      }
    }
  }

  page.requestAnimationFrame = (callback) => {
    frames.lastId += 1
    frames.waiting.set(frames.lastId, callback)
    if (!frames.isDue) {
      frames.isDue = true
      const time = now()
      frames.due = Math.max(frames.due + FRAME_MS, time)
      setTimeout(run, frames.due - time)
    }
    return frames.lastId
  }
  page.cancelAnimationFrame = (id) => void frames.waiting.delete(id)
}

/** Calls `onFirst` when the first frame that the page asks for has run: a page without `tick()` has booted then. */
export function awaitFirstFrame(page: PageWindow, onFirst: () => void): void {
  const { requestAnimationFrame } = page
  const own: PageWindow['requestAnimationFrame'] = (callback) =>
    requestAnimationFrame.call(page, (time) => {
      callback(time)
      // The game may have put something of its own around it.
      if (page.requestAnimationFrame === own) page.requestAnimationFrame = requestAnimationFrame
      onFirst()
    })
  page.requestAnimationFrame = own
}
