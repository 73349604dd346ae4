import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from './browser/launch-browser.js'
import { HOST_EXIT_CODES } from './host-error.js'
import type { HostEvent } from './host-events.js'
import type { HostSettings } from './host-options.js'
import { openHostedPage } from './page/hosted-page.js'
import { watchPage } from './page/watch-page.js'
import { watchForHang } from './supervision/hang-watch.js'
import { watchForKills } from './supervision/memory-limit.js'
import { watchMemory } from './supervision/memory.js'
import { remindOfReady } from './supervision/ready-reminder.js'
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
  /** Resolves with what happened when nobody is left who could answer: the page has crashed, or the browser has ended. */
  readonly gone: Promise<string>
  /** Tells the page to end, see `HostedPage`. */
  shutdown(signal: string, patience: number, clientPatience: number): Promise<boolean>
  /** Ends the browser; one whose page has failed, at once. */
  close(atOnce?: boolean): Promise<void>
}

export interface RunPageOptions {
  readonly settings: HostSettings
  /** A browser that is being started. */
  readonly browser: Promise<Browser>
  readonly pageUrl: string
  /** Most bytes that the page may hold. */
  readonly maxMemory: number
  /** Path at which the page opens its socket to the players. */
  readonly playersPath: string
  /** When the host began, by `performance.now()`. */
  readonly began: number
  readonly tell: (event: HostEvent) => void
  /** Whether the game has asked the sidecar for a state in which players come. */
  readonly wasReady: () => boolean
}

const { CRASHED, BOOT_TIMEOUT } = HOST_EXIT_CODES
/** A page that takes longer to answer is busy. */
const BUSY_MS = 500
/** A loop of timers, which many servers have, is seen by nobody. */
const NO_STEP =
  ': no requestAnimationFrame() has run, and gameServerHost.tick() was not called. ' +
  "Call tick() in the game's loop, or raise --boot-timeout if it takes longer to load"

/**
 * Loads the page into a browser and watches over it.
 *
 * @throws HostError LAUNCH_FAILED
 */
export async function startPage(given: RunPageOptions): Promise<RunningPage> {
  const { settings, tell, pageUrl, playersPath, began } = given
  const bootsUntil = performance.now() + settings.bootTimeout
  const whyKilled = watchForKills()
  const browser = await given.browser
  try {
    tell({ event: 'browser', pid: browser.pid, version: browser.version, sandbox: browser.sandbox })
    const { host, origin } = new URL(pageUrl)
    const page = await openHostedPage(browser, { host, playersPath })
    const watching = new AbortController()
    const isOver = (): boolean => watching.signal.aborted
    const warn = (text: string): void => tell({ event: 'warning', text })

    let hasBooted = false
    let hasReloaded = false
    let isEnding = false
    let lastError: string | undefined
    let fail!: (reason: string) => void
    const failed = new Promise<PageEnd>((resolve) => {
      fail = (reason) => {
        if (!isOver()) resolve({ reason, code: CRASHED, mayStartAgain: true })
      }
    })
    const watch = await watchPage({
      page: page.session,
      browser: browser.devtools,
      sessionOf: browser.devtools.session,
      targetId: page.targetId,
      origin,
      isEnding: () => isEnding,
      onLine(line) {
        if (line.level === 'error') lastError = line.text
        tell({ event: 'console', ...line })
      },
      onNavigated: (url) => fail(`The page has left for ${url}`),
      onReloaded(url) {
        // Some builds load themselves once more before they begin, such as those that need a service worker.
        if (hasBooted) fail(`The page has loaded itself again: ${url}`)
        else if (!hasReloaded) warn(`The page has loaded itself again before its first step: ${url}`)
        hasReloaded = true
      },
    })
    const endMemoryWatch = watchMemory({
      session: page.session,
      browserPid: browser.pid,
      limit: given.maxMemory,
      onWarning: warn,
      onExceeded: fail,
    })
    const stackOf = async (): Promise<string> =>
      (await watch.describePaused(await stackOfHang(page.session))).join('\n')

    const { hangTimeout, bootTimeout } = settings
    const superviseLife = async (): Promise<PageEnd | undefined> => {
      const end = await bootOrHang()
      return isOver() ? undefined : end
    }

    const bootOrHang = async (): Promise<PageEnd | undefined> => {
      const isInTime = await resolvesWithin(page.booted, bootsUntil - performance.now(), watching.signal)
      if (isOver()) return undefined
      if (!isInTime) {
        const isBusy = await page.ticks(BUSY_MS).then(
          () => false,
          () => true,
        )
        const why = lastError !== undefined ? `; its last error: ${lastError.split('\n')[0]}` : isBusy ? '' : NO_STEP
        const reason = `The page has made no step within ${bootTimeout} ms${why}`
        return { reason, code: BOOT_TIMEOUT, stack: isBusy ? await stackOf() : '' }
      }
      hasBooted = true
      tell({ event: 'booted', ms: Math.round(performance.now() - began) })
      remindOfReady({ wasReady: given.wasReady, after: bootTimeout / 2, warn, signal: watching.signal })
      const hang = await watchForHang(page, hangTimeout, watching.signal)
      if (hang === undefined) return undefined
      const stack = hang.isBusy ? await stackOf() : ''
      return { reason: hang.reason, code: CRASHED, stack, mayStartAgain: true }
    }

    const ended = browser.ended.then((how) => `The browser has ended (${how})`)
    const gone = Promise.race([ended, page.gone]).then((how) => how + whyKilled())
    void gone.then(fail)
    page.load(pageUrl).catch((error: unknown) => fail((error as Error).message))
    const pageEnded = new Promise<PageEnd>((resolve) => {
      // What the page has written before comes first.
      const endWith = async (end: PageEnd): Promise<void> => {
        await watch.flush()
        resolve(end)
      }
      void failed.then(endWith)
      void superviseLife().then((end) => (end === undefined ? undefined : endWith(end)))
    })

    return {
      ended: pageEnded,
      gone,
      shutdown(signal, patience, clientPatience) {
        isEnding = true
        return page.shutdown(signal, patience, clientPatience)
      },
      async close(atOnce) {
        watching.abort()
        endMemoryWatch()
        await browser.close(atOnce)
        watch.close()
        await watch.flush()
      },
    }
  } catch (error) {
    await browser.close()
    throw error
  }
}

/** Whether a promise resolves within `ms`, and before the signal comes. */
async function resolvesWithin(promise: Promise<unknown>, ms: number, signal: AbortSignal): Promise<boolean> {
  const stop = new AbortController()
  const late = sleep(Math.max(0, ms), false, { signal: AbortSignal.any([signal, stop.signal]) }).catch(() => false)
  const inTime = await Promise.race([promise.then(() => true), late])
  stop.abort()
  return inTime
}
