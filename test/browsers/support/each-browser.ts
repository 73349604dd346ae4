import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch, type Browser, type BrowserContext, type LaunchOptions, type Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest'
import { browserNames, findBrowser, type BrowserName, type InstalledBrowser } from './installed.js'
import { openDisplay, openInWebKit, webKitIsHere, type Display } from './webkit.js'

/** A page that is open until the test is finished. */
export interface OpenPage {
  /** What an expression gives in the page, promises awaited. */
  run<T>(expression: string): Promise<T>
}

/** A page that its tests can do more with. */
export interface DrivenPage extends OpenPage {
  page: Page
  /** Exceptions that nothing in the page caught. A test that expects some takes them out. */
  uncaught: string[]
}

export interface AnyBrowser {
  name: BrowserName | 'WebKit'
  /** Opens a page. Each test has an origin of its own, so that no cache, storage or worker is shared with another. */
  open(url: string): Promise<OpenPage>
}

export interface DrivenBrowser extends AnyBrowser {
  name: BrowserName
  open(url: string): Promise<DrivenPage>
  /** Opens a page in the window of another one, which it hides. */
  openInFront(other: DrivenPage, url: string): Promise<DrivenPage>
}

/** The same suite in each browser that is there, one process for a file; a missing browser is said aloud. */
export function inDrivenBrowsers(suite: (browser: DrivenBrowser) => void): void {
  for (const name of browserNames) {
    const installed = findBrowser(name)
    if (!installed) warn(name, `${name.toUpperCase()} may name one`)
    describe.skipIf(!installed)(`in ${name}`, () => {
      let running: RunningBrowser | undefined
      beforeAll(async () => {
        running = await launchBrowser(name, installed!)
      })
      afterAll(() => running?.end())
      suite({
        name,
        open(url) {
          return openIn(running!.browser.defaultBrowserContext(), url)
        },
        async openInFront({ page }, url) {
          const other = await openIn(page.browserContext(), url)
          await other.page.bringToFront()
          return other
        },
      })
    })
  }
}

/** The same, for suites that need no more than a page's own scripts: in WebKit too. */
export function inEachBrowser(suite: (browser: AnyBrowser) => void): void {
  inDrivenBrowsers(suite)
  if (!webKitIsHere) warn('WebKit', 'on Debian, webkit2gtk-driver and xvfb bring it')
  describe.skipIf(!webKitIsHere)('in WebKit', () => {
    let display: Display | undefined
    beforeAll(async () => {
      display = await openDisplay()
    })
    afterAll(() => display?.end())
    suite({
      name: 'WebKit',
      async open(url) {
        const page = await openInWebKit(display!, url)
        onTestFinished(() => page.end())
        return page
      },
    })
  })
}

function warn(name: string, cure: string): void {
  console.warn(`There is no ${name} here, so its tests are SKIPPED; ${cure}`)
}

// Firefox reports these beside the errors of scripts.
const NO_SCRIPT = /Cross-Origin Request Blocked|can’t establish a connection|was interrupted|Content-Security-Policy/

async function openIn(context: BrowserContext, url: string): Promise<DrivenPage> {
  const page = await context.newPage()
  onTestFinished(() => (page.isClosed() ? undefined : page.close()))
  const uncaught: string[] = []
  page.on('pageerror', (error) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    if (!NO_SCRIPT.test(text)) uncaught.push(text)
  })
  onTestFinished(() => expect(uncaught, `uncaught in ${url}`).toEqual([]))
  await page.goto(url)
  return { page, uncaught, run: async <T>(expression: string) => (await page.evaluate(expression)) as T }
}

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
