import type { BrowserContext, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest'
import { browserNames, findBrowser, type BrowserName } from './installed.js'
import { launchBrowser, type RunningBrowser } from './launch.js'
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
  /** Opens a page in a context of its own: no cache, storage or worker is shared with another test. */
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
        async open(url) {
          const context = await running!.browser.createBrowserContext()
          onTestFinished(() => context.close())
          return openIn(context, url)
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
  const uncaught: string[] = []
  page.on('pageerror', (error) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    if (!NO_SCRIPT.test(text)) uncaught.push(text)
  })
  onTestFinished(() => expect(uncaught, `uncaught in ${url}`).toEqual([]))
  await page.goto(url)
  return { page, uncaught, run: async <T>(expression: string) => (await page.evaluate(expression)) as T }
}
