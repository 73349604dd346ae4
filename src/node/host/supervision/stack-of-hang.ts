import type { DevtoolsSession } from '../browser/devtools.js'
import type { PausedFrame } from '../page/source-maps.js'

const DEADLINE_MS = 1_000

/** Stops a busy page where it is, and resolves with the frames of its stack, the innermost first; none if it can't be stopped. */
export function stackOfHang(session: DevtoolsSession): Promise<readonly PausedFrame[]> {
  return new Promise((resolve) => {
    const done = (frames: readonly PausedFrame[]): void => {
      clearTimeout(timer)
      forget()
      resolve(frames)
    }
    const timer = setTimeout(() => done([]), DEADLINE_MS)
    const forget = session.on<{ callFrames: readonly PausedFrame[] }>('Debugger.paused', (event) =>
      done(event.callFrames),
    )
    session.send('Debugger.pause', {}, DEADLINE_MS).catch(() => undefined)
  })
}
