import type { Target } from '../../scenario/index.js'
import type { ControlCommand, ControlResult, Sidecar } from '../../sidecar/index.js'

/** A sidecar whose time passes only when it is told to, such as a mock. */
export interface VirtualSidecar {
  readonly sidecar: Pick<Sidecar, 'snapshot' | 'log'>
  /** Throws, or answers that it isn't ok, where a command is refused. */
  control(command: ControlCommand): ControlResult
  advance(ms: number): Promise<void>
}

/** How much time passes at once while something is awaited. */
const TURN_MS = 50

export function virtualTarget(mock: VirtualSidecar): Target {
  const { sidecar } = mock
  return {
    now: () => sidecar.snapshot().now,
    sleep: async (ms, signal) => {
      for (let left = ms; left > 0 && !signal.aborted; left -= TURN_MS) await mock.advance(Math.min(TURN_MS, left))
    },
    control: (command) => {
      try {
        return mock.control(command)
      } catch (error) {
        return { ok: false, message: (error as Error).message }
      }
    },
    advance: async (ms) => {
      await mock.advance(ms)
      return { ok: true }
    },
    snapshot: () => sidecar.snapshot(),
    entries: () => sidecar.log.entries(),
    subscribe: (listener) => sidecar.log.subscribe(listener),
  }
}
