import { installFrameworks } from './install-frameworks.mjs'

/** Without them, the tests that need them skip themselves. */
export function setup(): void {
  try {
    installFrameworks()
  } catch (error) {
    console.warn(`The frameworks for test/frameworks can't be installed, so their tests are SKIPPED: ${String(error)}`)
  }
}
