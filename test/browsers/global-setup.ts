import { installChromium } from './install-chromium.mjs'
import { findBrowser } from './support/installed.js'

/** Without a Chromium, the tests that need one skip themselves. */
export async function setup(): Promise<void> {
  if (findBrowser('Chromium')) return
  try {
    await installChromium()
  } catch (error) {
    console.warn(`No Chromium can be installed for test/browsers: ${String(error)}`)
  }
}
