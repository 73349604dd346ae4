import type { BrowserContext, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest'
import { browserNames, findBrowser, type BrowserName } from './installed.js'
import { launchBrowser, type RunningBrowser } from './launch.js'

/** A page that is open until the test is finished. */
export interface OpenPage {
  page: Page
  /** What an expression gives in the page, promises awaited. */
  run<T>(expression: string): Promise<T>
  /** Exceptions that nothing in the page caught. A test that expects some takes them out. */
  uncaught: string[]
}

export interface BrowserUnderTest {
  name: BrowserName
  /** Opens a page in a context of its own: no cache, storage or worker is shared with another test. */
  open(url: string): Promise<OpenPage>
  /** Opens a page beside another one, in its context. */
  openBeside(other: OpenPage, url: string): Promise<OpenPage>
}

/** The same suite in each browser that is there, one process for a file; a missing browser is said aloud. */
export function inEachBrowser(suite: (browser: BrowserUnderTest) => void): void {
  for (const name of browserNames) {
    const installed = findBrowser(name)
    if (!installed) {
      console.warn(`There is no ${name} here, so its tests are SKIPPED; ${name.toUpperCase()} may name one`)
    }
    describe.skipIf(!installed)(`in ${name}`, () => {
      let running: RunningBrowser | undefined
      beforeAll(async () => { running = await launchBrowser(name, installed!) }, 120_000)
      afterAll(() => running?.end())

      suite({
        name,
        async open(url) {
          const context = await running!.browser.createBrowserContext()
          onTestFinished(() => context.close())
          return openIn(context, url)
        },
        openBeside: ({ page }, url) => openIn(page.browserContext(), url),
      })
    })
  }
}

// Firefox reports these beside the errors of scripts.
const BROKEN_CONNECTION = /Cross-Origin Request Blocked|can’t establish a connection|was interrupted while/

async function openIn(context: BrowserContext, url: string): Promise<OpenPage> {
  const page = await context.newPage()
  const uncaught: string[] = []
  page.on('pageerror', (error) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    if (!BROKEN_CONNECTION.test(text)) uncaught.push(text)
  })
  onTestFinished(() => expect(uncaught, `uncaught in ${url}`).toEqual([]))
  await page.goto(url)
  return { page, uncaught, run: async <T>(expression: string) => await page.evaluate(expression) as T }
}
