import type { ControlCommand } from '../../sidecar/index.js'
import type { Store } from '../store/store.js'

/** Sends commands one after the other, up to the first that is refused. */
export async function sendAll(store: Store, commands: readonly ControlCommand[]): Promise<boolean> {
  for (const command of commands) if (!(await store.control(command)).ok) return false
  return true
}

/** What a button does that sends commands. */
export const sends =
  (store: Store, ...commands: readonly ControlCommand[]): (() => void) =>
  () =>
    void sendAll(store, commands)
