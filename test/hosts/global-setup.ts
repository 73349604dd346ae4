import { installRuntimes } from './install-runtimes.mjs'

/** Without them, the tests that need them skip themselves. */
export function setup(): void {
  try {
    installRuntimes()
  } catch (error) {
    console.warn(`The runtimes for test/hosts can't be installed, so their tests are SKIPPED: ${String(error)}`)
  }
}
