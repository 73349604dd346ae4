import { installFrameworks } from './install-frameworks.mjs'

/** Installs the frameworks. Tests of a framework that is missing skip themselves. */
export function setup(): void {
  try {
    installFrameworks()
  } catch (error) {
    console.warn(`The frameworks for test/frameworks can't be installed, so their tests are SKIPPED: ${String(error)}`)
  }
}
