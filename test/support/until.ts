import { setTimeout as sleep } from 'node:timers/promises'

/** Longer than a busy machine takes for what comes at all. */
const PATIENCE_MS = 30_000

/** Resolves once `check` holds, for what no event tells: it must neither throw nor return false. */
export async function until<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      const result = await check()
      if (result !== false) return result
      if (performance.now() > deadline) throw new Error(`It never held: ${String(check)}`)
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await sleep(10)
  }
}

/** Lets everything that waits for no timer come to its end. */
export async function turns(count = 1): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate)
}
