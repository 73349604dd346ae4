import { existsSync } from 'node:fs'

export type BrowserName = 'Chromium' | 'Firefox'
export const browserNames: readonly BrowserName[] = ['Chromium', 'Firefox']

const usual: Readonly<Record<BrowserName, readonly string[]>> = {
  Chromium: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
  Firefox: ['/usr/bin/firefox-esr', '/usr/bin/firefox'],
}

/** The path of the browser: that in the variable `CHROMIUM` or `FIREFOX`, or this machine's own. */
export function findBrowser(name: BrowserName): string | undefined {
  const variable = name.toUpperCase()
  const wanted = process.env[variable]
  if (wanted && !existsSync(wanted)) throw new Error(`${variable} names no file: ${wanted}`)
  return wanted || usual[name].find((path) => existsSync(path))
}
