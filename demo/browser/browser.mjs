import { existsSync } from 'node:fs'
import { launch } from 'puppeteer-core'

/** In the order in which they are tried, after one that a variable names. */
const BROWSERS = [
  {
    browser: 'chrome',
    variable: 'CHROMIUM',
    paths: [
      '/usr/bin/chromium',
      '/usr/bin/chromium-browser',
      '/usr/bin/google-chrome',
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
      'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    ],
    // It ends with the demo, however that ends.
    pipe: true,
    // A browser's sandbox doesn't work for root, which is what one often is in a container.
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--disable-dev-shm-usage'],
  },
  {
    browser: 'firefox',
    variable: 'FIREFOX',
    paths: [
      '/usr/bin/firefox-esr',
      '/usr/bin/firefox',
      '/Applications/Firefox.app/Contents/MacOS/firefox',
      'C:\\Program Files\\Mozilla Firefox\\firefox.exe',
    ],
    pipe: false,
    args: [],
  },
]

/**
 * Finds what to launch, and how.
 *
 * @public for a test, which loads it by its path
 * @throws Error in a sentence that says what to do
 */
export function findBrowser(env = process.env, exists = existsSync) {
  // The game server's browser is always Chromium, so a named Firefox is for the players.
  const named = BROWSERS.findLast(({ variable }) => env[variable])
  if (named !== undefined) {
    const executablePath = env[named.variable]
    if (!exists(executablePath)) throw new Error(`${named.variable} names no file: ${executablePath}`)
    return { ...named, executablePath }
  }
  for (const known of BROWSERS) {
    const executablePath = known.paths.find((path) => exists(path))
    if (executablePath !== undefined) return { ...known, executablePath }
  }
  throw new Error(
    "There is no browser here for the players' pages: install Chromium or Firefox, or say where one is with the " +
      'variable CHROMIUM or FIREFOX.',
  )
}

/** Starts this machine's browser without a window. `onTrouble` gets the errors of its pages. */
export async function startBrowser({ onTrouble }) {
  const { browser: kind, executablePath, args, pipe } = findBrowser()
  const browser = await launch({
    browser: kind,
    executablePath,
    args,
    pipe,
    headless: true,
    defaultViewport: null,
    // The demo handles signals and closes the browser itself.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  })

  return {
    version: await browser.version(),
    /** Opens a page in a window of its own, so that no page hides another. */
    async open(url, name, viewport) {
      const page = await (await browser.createBrowserContext()).newPage()
      page.on('pageerror', (error) => onTrouble(`${name}: ${error.message}`))
      page.on('requestfailed', (request) => {
        const reason = request.failure()?.errorText ?? 'failed'
        // The client aborts requests that it no longer needs.
        if (!/ABORT/.test(reason)) onTrouble(`${name}: ${request.url()} ${reason}`)
      })
      if (viewport !== undefined) await page.setViewport(viewport)
      await page.goto(url)
      return page
    },
    close: () => browser.close(),
  }
}
