import { setTimeout as sleep } from 'node:timers/promises'
import type { DevtoolsSession } from '../browser/devtools.js'
import type { HostedPage } from '../page/hosted-page.js'
import type { PausedFrame } from '../page/observe-page.js'

export interface Hang {
  readonly reason: string
  /** Whether the page's main thread is busy, so that its stack shows the cause. */
  readonly isBusy: boolean
}

const PERIOD_MS = 1_000

/**
 * Looks each second whether the page still answers, and, once it has called `tick()`, whether the calls continue.
 * Resolves with the hang, or with undefined when the signal ends the watch or the page is gone.
 *
 * @param timeout ms of silence that count as a hang
 */
export async function watchForHang(page: HostedPage, timeout: number, signal: AbortSignal): Promise<Hang | undefined> {
  let ticks = 0
  let tickedAt = performance.now()
  for (;;) {
    const asked = performance.now()
    const seen = await page.ticks(timeout).catch(() => undefined)
    const now = performance.now()
    if (signal.aborted) return undefined
    const hasSlept = now - asked > 2 * timeout
    if (seen === undefined) {
      // A command fails at once after a crash, which other code reports, and late after this machine slept.
      if (now - asked >= timeout - 1 && !hasSlept) {
        return { reason: `The page has not answered for ${timeout} ms`, isBusy: true }
      }
    } else if (seen !== ticks || hasSlept) {
      ticks = seen
      tickedAt = now
    } else if (ticks > 0 && now - tickedAt > timeout) {
      const reason = `The page answers, but gameServerHost.tick() has not been called for ${timeout} ms`
      return { reason, isBusy: false }
    }
    const late = await sleepUnlessAborted(Math.min(PERIOD_MS, timeout), signal)
    if (late === undefined) return undefined
    // While this machine slept, the page could do nothing either.
    if (late > timeout) tickedAt = performance.now()
  }
}

/** Resolves with the ms by which the timer fired late, or undefined if aborted. */
async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<number | undefined> {
  const start = performance.now()
  try {
    await sleep(ms, undefined, { signal })
    return performance.now() - start - ms
  } catch {
    return undefined
  }
}

const STACK_MS = 1_000

/** Pauses a busy page, and resolves with the frames of its stack, the innermost first; none if pausing fails. */
export async function stackOfHang(session: DevtoolsSession): Promise<readonly PausedFrame[]> {
  let forget!: () => void
  const paused = new Promise<readonly PausedFrame[]>((resolve) => {
    forget = session.on<{ callFrames: readonly PausedFrame[] }>('Debugger.paused', ({ callFrames }) =>
      resolve(callFrames),
    )
  })
  session.send('Debugger.pause', {}, STACK_MS).catch(() => undefined)
  const frames = await Promise.race([paused, sleep(STACK_MS, [], { ref: false })])
  forget()
  return frames
}
