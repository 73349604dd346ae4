import { onTestFinished } from 'vitest'

/** Rejections that nobody handles, and what is thrown where nobody catches it, while a test runs. */
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
