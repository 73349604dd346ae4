import type { Browser } from './browser/launch-browser.js'
import type { HostEvent } from './host-events.js'
import type { HostSettings } from './host-options.js'
import type { ConsoleLine } from './line-limit.js'
import { createPageConsole } from './page/console-lines.js'
import type { PageConsole } from './page/console-lines.js'
import { openHostedPage } from './page/hosted-page.js'
import { createSourceMaps } from './page/source-maps.js'
import type { SourceMaps } from './page/source-maps.js'
import { watchForHang } from './supervision/hang-watch.js'
import { stackOfHang } from './supervision/stack-of-hang.js'

/** How a page has ended by itself. */
export interface PageEnd {
  readonly reason: string
  /** The exit code that stands for it. */
  readonly code: number
  /** Where its script was busy. */
  readonly stack?: string
  /** Whether a new start may help. */
  readonly mayStartAgain?: boolean
}

/** A page in its browser. */
export interface RunningPage {
  /** Resolves when the page crashes, hangs or doesn't boot, never after `close()`. */
  readonly ended: Promise<PageEnd>
  /** Tells the page to end, see `HostedPage`. */
  shutdown(signal: string, patience: number): Promise<boolean>
  /** Ends the browser. */
  close(): Promise<void>
}

export interface RunPageOptions {
  readonly settings: HostSettings
  /** A browser that is being started. */
  readonly browser: Promise<Browser>
  readonly pageUrl: string
  /** Path at which the page opens its socket to the players. */
  readonly playersPath: string
  /** When the host began, by `performance.now()`. */
  readonly began: number
  readonly tell: (event: HostEvent) => void
}

const CRASHED = 70
const BOOT_TIMEOUT = 75
/** A page that takes longer to answer is busy. */
const BUSY_MS = 500

/**
 * Loads the page into a browser and watches over it.
 *
 * @throws HostError LAUNCH_FAILED
 */
export async function startPage(given: RunPageOptions): Promise<RunningPage> {
  const { settings, tell, pageUrl, playersPath, began } = given
  const bootsUntil = performance.now() + settings.bootTimeout
  const browser = await given.browser
  try {
    tell({ event: 'browser', pid: browser.pid, version: browser.version, sandbox: browser.sandbox })
    const { origin } = new URL(pageUrl)
    let sourceMaps!: SourceMaps
    let pageConsole!: PageConsole
    let lastError: string | undefined
    const page = await openHostedPage(browser, playersPath, (session) => {
      sourceMaps = createSourceMaps({ session, origin })
      const onLine = (line: ConsoleLine): void => {
        if (line.level === 'error') lastError = line.text
        tell({ event: 'console', ...line })
      }
      pageConsole = createPageConsole({ onLine, sourceMaps, origin })
      return pageConsole.follow(session)
    })
    const stackOf = async (): Promise<string> =>
      (await sourceMaps.describeCallFrames(await stackOfHang(page.session))).join('\n')
    const watching = new AbortController()
    const isOver = (): boolean => watching.signal.aborted

    const { hangTimeout, bootTimeout } = settings
    const superviseLife = async (): Promise<PageEnd | undefined> => {
      const end = await bootOrHang()
      return isOver() ? undefined : end
    }

    const bootOrHang = async (): Promise<PageEnd | undefined> => {
      if (!(await isInTime(page.booted, bootsUntil - performance.now()))) {
        const isBusy = await page.ticks(BUSY_MS).then(
          () => false,
          () => true,
        )
        const error = lastError === undefined ? '' : `; its last error: ${lastError.split('\n')[0]}`
        const reason = `The page has made no step within ${bootTimeout} ms${error}`
        return { reason, code: BOOT_TIMEOUT, stack: isBusy ? await stackOf() : '' }
      }
      tell({ event: 'booted', ms: Math.round(performance.now() - began) })
      const hang = await watchForHang(page, hangTimeout, watching.signal)
      if (hang === undefined) return undefined
      const stack = hang.isBusy ? await stackOf() : ''
      return { reason: hang.reason, code: CRASHED, stack, mayStartAgain: true }
    }

    const ended = new Promise<PageEnd>((resolve) => {
      const crash = (reason: string): void => {
        if (!isOver()) resolve({ reason, code: CRASHED, mayStartAgain: true })
      }
      void browser.ended.then((how) => crash(`The browser has ended (${how})`))
      void page.gone.then(crash)
      page.load(pageUrl).catch((error: unknown) => crash((error as Error).message))
      void superviseLife().then((end) => end !== undefined && resolve(end))
    })

    return {
      ended,
      shutdown: (signal, patience) => page.shutdown(signal, patience),
      async close() {
        watching.abort()
        await browser.close()
        await pageConsole.flush()
        pageConsole.close()
      },
    }
  } catch (error) {
    await browser.close()
    throw error
  }
}

/** Whether a promise resolves within `ms`. */
async function isInTime(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: late, cancel } = after(ms)
  const inTime = await Promise.race([promise.then(() => true), late])
  cancel()
  return inTime
}

function after(ms: number): { readonly promise: Promise<false>; cancel(): void } {
  let timer: ReturnType<typeof setTimeout>
  const promise = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, ms))
  })
  return { promise, cancel: () => clearTimeout(timer) }
}
