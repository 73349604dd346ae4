import { onTestFinished } from 'vitest'

/** Collects the unhandled rejections and uncaught exceptions of a test. */
export function collectUncaught(): unknown[] {
  const uncaught: unknown[] = []
  for (const type of ['unhandledRejection', 'uncaughtException'] as const) {
    const others = process.listeners(type as never)
    const collect = (error: unknown): void => void uncaught.push(error)
    process.removeAllListeners(type)
    process.on(type, collect)
    onTestFinished(() => {
      process.removeListener(type, collect)
      for (const listener of others) process.on(type, listener)
    })
  }
  return uncaught
}
