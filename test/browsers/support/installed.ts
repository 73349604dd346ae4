import { existsSync } from 'node:fs'
import { fallbackChromium } from '../install-chromium.mjs'

export type BrowserName = 'Chromium' | 'Firefox'
export const browserNames: readonly BrowserName[] = ['Chromium', 'Firefox']

export interface InstalledBrowser {
  path: string
  /** Variables that the browser needs besides the environment of the tests. */
  env?: NodeJS.ProcessEnv
}

const usual: Readonly<Record<BrowserName, readonly string[]>> = {
  Chromium: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
  Firefox: ['/usr/bin/firefox-esr', '/usr/bin/firefox'],
}

/**
 * The browser at the path in the variable `CHROMIUM` or `FIREFOX`, else this machine's own, else one that the tests
 * installed.
 */
export function findBrowser(name: BrowserName): InstalledBrowser | undefined {
  const variable = name.toUpperCase()
  const wanted = process.env[variable]
  if (wanted && !existsSync(wanted)) throw new Error(`${variable} names no file: ${wanted}`)
  const path = wanted || usual[name].find((path) => existsSync(path))
  return path ? { path } : name === 'Chromium' ? fallbackChromium() : undefined
}
