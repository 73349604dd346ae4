import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch, type Browser, type BrowserContext, type LaunchOptions, type Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest'
import { browserNames, findBrowser, type BrowserName } from './installed.js'

/** A page that is open until the test is finished. */
export interface OpenPage {
  page: Page
  /** The awaited value of an expression in the page. */
  run<T>(expression: string): Promise<T>
  /** Uncaught exceptions. A test that expects some removes them. */
  uncaught: string[]
}

export interface TestBrowser {
  name: BrowserName
  /** Opens a page. Each test has an origin of its own, so tests share no cache, storage or worker. */
  open(url: string): Promise<OpenPage>
}

/** Runs a suite in each installed browser, with one process per file. Warns about a missing browser. */
export function inEachBrowser(suite: (browser: TestBrowser) => void, names = browserNames): void {
  for (const name of names) {
    const path = findBrowser(name)
    if (!path) {
      console.warn(`There is no ${name} here, so its tests are SKIPPED; ${name.toUpperCase()} may name one`)
    }
    describe.skipIf(!path)(`in ${name}`, () => {
      let running: RunningBrowser | undefined
      beforeAll(async () => {
        running = await launchBrowser(name, path!)
      })
      afterAll(() => running?.end())
      suite({ name, open: (url) => openIn(running!.browser.defaultBrowserContext(), url) })
    })
  }
}

/** For pages whose scripts run alike in every engine. */
export const inChromium = (suite: (browser: TestBrowser) => void): void => inEachBrowser(suite, ['Chromium'])

// Firefox reports these as page errors too.
const NO_SCRIPT = /Cross-Origin Request Blocked|can’t establish a connection|was interrupted|Content-Security-Policy/

async function openIn(context: BrowserContext, url: string): Promise<OpenPage> {
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

interface RunningBrowser {
  browser: Browser
  /** Ends the browser's processes, even if they don't answer, and removes its profile. */
  end(): Promise<void>
}

/** None changes web security, the checks of local networks or the throttling of hidden pages. */
const chromiumFlags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-extensions',
  '--disable-features=Translate,MediaRouter,OptimizationHints',
  '--disable-sync',
  '--mute-audio',
  '--no-first-run',
  'about:blank',
]

const perBrowser: Readonly<Record<BrowserName, (profile: string) => LaunchOptions>> = {
  Chromium: (profile) => ({
    browser: 'chrome',
    pipe: true,
    // The driver's default arguments switch off the throttling of hidden pages.
    ignoreDefaultArgs: true,
    args: [...chromiumFlags, `--user-data-dir=${profile}`],
  }),
  Firefox: (profile) => ({
    browser: 'firefox',
    args: ['--headless'],
    userDataDir: profile,
    // The driver lets files read each other, unlike a user's Firefox.
    extraPrefsFirefox: { 'security.fileuri.strict_origin_policy': true },
  }),
}

const ATTEMPTS = 3
const START = 30_000

/** Starts a browser. On a busy machine the first start sometimes hangs, so this tries again. */
async function launchBrowser(name: BrowserName, path: string): Promise<RunningBrowser> {
  for (let attempt = 1; ; attempt++) {
    const profile = await mkdtemp(join(tmpdir(), 'gameserver-profile-'))
    // The browser's other processes may keep files open for a moment.
    const forget = (): Promise<void> => rm(profile, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 })
    try {
      const browser = await launch({
        // The certificates of tests are their own.
        acceptInsecureCerts: true,
        ...perBrowser[name](profile),
        executablePath: path,
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
