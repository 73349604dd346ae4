import { describe, it } from 'vitest'

/** A suite that needs more than Node. If something is missing, warns, and skips the suite with the reason. */
export function describeUnless(missing: readonly string[], suite: string, run: () => void): void {
  if (missing.length === 0) return void describe(suite, run)
  const message = `SKIPPED: ${suite} (${missing.join(', ')})`
  console.warn(message)
  describe(suite, () => it.skip(message, () => undefined))
}
