import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch, type Browser, type LaunchOptions } from 'puppeteer-core'
import type { BrowserName, InstalledBrowser } from './installed.js'

export interface RunningBrowser {
  browser: Browser
  /** Ends its processes and removes its profile; also when it no longer answers. */
  end(): Promise<void>
}

/**
 * What keeps Chromium from looking up its maker's hosts, and nothing that changes what a page may do or how
 * it is throttled: web security, the checks of local networks and the timers of hidden pages are a user's.
 */
const chromiumFlags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-breakpad',
  '--disable-sync',
  '--disable-component-extensions-with-background-pages',
  '--disable-client-side-phishing-detection',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-features=Translate,MediaRouter,OptimizationHints',
  '--metrics-recording-only',
  '--mute-audio',
  '--no-default-browser-check',
  '--no-first-run',
  '--no-pings',
  '--password-store=basic',
  '--use-mock-keychain',
  'about:blank',
]

const perBrowser: Readonly<Record<BrowserName, (profile: string) => LaunchOptions>> = {
  Chromium: (profile) => ({
    browser: 'chrome',
    pipe: true,
    // Its driver's own arguments switch off the throttling of hidden pages.
    ignoreDefaultArgs: true,
    args: [...chromiumFlags, `--user-data-dir=${profile}`],
  }),
  Firefox: (profile) => ({
    browser: 'firefox',
    args: ['--headless'],
    userDataDir: profile,
    // Its driver lets files read each other; a user's Firefox doesn't.
    extraPrefsFirefox: { 'security.fileuri.strict_origin_policy': true },
  }),
}

const ATTEMPTS = 3
const START = 30_000

/** On a busy machine a first start sometimes never answers; the next one does. */
export async function launchBrowser(name: BrowserName, installed: InstalledBrowser): Promise<RunningBrowser> {
  const { path, env } = installed
  for (let attempt = 1; ; attempt++) {
    const profile = await mkdtemp(join(tmpdir(), 'gameserver-profile-'))
    // The browser's other processes may need a moment more to let go of their files.
    const forget = (): Promise<void> => rm(profile, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 })
    try {
      const browser = await launch({
        ...perBrowser[name](profile),
        executablePath: path,
        env: { ...process.env, ...env },
        defaultViewport: null,
        timeout: START,
      })
      return { browser, end: () => end(browser).finally(forget) }
    } catch (error) {
      await forget()
      if (attempt === ATTEMPTS) throw new Error(`${name} (${path}) did not start`, { cause: error })
      console.warn(`${name} did not start, so it is started once more: ${String(error)}`)
    }
  }
}

async function end(browser: Browser): Promise<void> {
  const process = browser.process()
  const late = setTimeout(() => process?.kill('SIGKILL'), 10_000)
  await browser.close().catch(() => process?.kill('SIGKILL'))
  clearTimeout(late)
}
