import { existsSync } from 'node:fs'
import { fallbackChromium } from '../install-chromium.mjs'

export const browserNames = ['Chromium', 'Firefox'] as const
export type BrowserName = (typeof browserNames)[number]

export interface InstalledBrowser {
  path: string
  /** What its process needs besides the environment of the tests. */
  env?: NodeJS.ProcessEnv
}

const usual: Readonly<Record<BrowserName, readonly string[]>> = {
  Chromium: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
  Firefox: ['/usr/bin/firefox-esr', '/usr/bin/firefox'],
}

/** The browser that the variable of its name says, or this machine's own, or one that the tests brought. */
export function findBrowser(name: BrowserName): InstalledBrowser | undefined {
  const variable = name.toUpperCase()
  const wanted = process.env[variable]
  if (wanted && !existsSync(wanted)) throw new Error(`${variable} names no file: ${wanted}`)
  const path = wanted || usual[name].find((path) => existsSync(path))
  return path ? { path } : name === 'Chromium' ? fallbackChromium() : undefined
}
