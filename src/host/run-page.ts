import { setTimeout as sleep } from 'node:timers/promises'
import { longestTimer } from '../protocol/names.js'
import type { EndWait, HostConfig } from './page-script/page.js'
import type { Browser } from './browser/launch-browser.js'
import { HOST_EXIT_CODES } from './host-error.js'
import type { HostEvent } from './host-events.js'
import type { HostFigures } from './host-metrics.js'
import type { HostSettings } from './host-options.js'
import { callSidecar } from './end-page.js'
import { openHostedPage, type HostedPage } from './page/hosted-page.js'
import { observePage, type PageObservation } from './page/observe-page.js'
import { browserMemory, watchForKills } from './browser/memory.js'
import type { GameEnd, GameRun } from './supervise.js'

export interface RunPageOptions {
  readonly settings: HostSettings
  readonly browser: Promise<Browser>
  readonly pageUrl: string
  readonly sidecarUrl: string
  readonly config: HostConfig
  /** Whether the page is isolated from other origins, as SharedArrayBuffer needs. */
  readonly isIsolated: boolean
  /** Takes the page's figures, where they are wanted. */
  readonly figures: HostFigures | undefined
  /** When the host began, by `performance.now()`. */
  readonly began: number
  readonly emit: (event: HostEvent) => void
  /** Whether the game has requested a state in which players may come. */
  readonly wasReady: () => boolean
}

const { CRASHED, BOOT_TIMEOUT } = HOST_EXIT_CODES
/** A page that doesn't answer within this time is busy. */
const BUSY_MS = 500
/** The host can't observe a loop of timers, which many servers have. */
const NO_STEP =
  ': no requestAnimationFrame() has run, and gameServerHost.tick() was not called. ' +
  "Call tick() in the game's loop, or raise --boot-timeout if it takes longer to load"

/** What engines with threads, such as Godot, Unity and Emscripten's, write where the page isn't isolated. */
const NEEDS_ISOLATION = /SharedArrayBuffer|cross[- ]?origin[- ]?isolat/i
const ISOLATE = 'The page needs SharedArrayBuffer: add --isolate (isolate: true), which sends COOP and COEP'

/** A page at a breakpoint may be silent for any time. */
const limitOf = (settings: HostSettings, name: 'bootTimeout' | 'hangTimeout'): number =>
  settings.inspect === undefined ? settings[name] : longestTimer

/** Loads the page into a browser and watches over it. @throws HostError LAUNCH_FAILED */
export async function startPage(given: RunPageOptions): Promise<PageRun> {
  const bootsUntil = performance.now() + limitOf(given.settings, 'bootTimeout')
  const whyKilled = watchForKills()
  const browser = await given.browser
  try {
    given.emit({ event: 'browser', pid: browser.pid, version: browser.version, sandbox: browser.sandbox })
    const page = await openHostedPage(browser, given.config)
    const run = new PageRun(given, browser, page, whyKilled)
    await run.begin(bootsUntil)
    return run
  } catch (error) {
    await browser.close()
    throw error
  }
}

/** A page in its browser. */
export class PageRun implements GameRun {
  readonly ended: Promise<GameEnd>
  /** Resolves with the reason when the page has crashed, or the browser has ended. */
  readonly gone: Promise<string>
  readonly #given: RunPageOptions
  readonly #browser: Browser
  readonly #page: HostedPage
  /** Aborted when the watch over the page ends. */
  readonly #over = new AbortController()
  #watch: PageObservation | undefined
  #end!: (end: GameEnd) => void
  #hasBooted = false
  #hasReloaded = false
  #isEnding = false
  #lastError: string | undefined
  #lacksIsolation = false

  constructor(given: RunPageOptions, browser: Browser, page: HostedPage, whyKilled: () => string) {
    this.#given = given
    this.#browser = browser
    this.#page = page
    this.ended = new Promise((resolve) => (this.#end = resolve))
    const ended = browser.ended.then((how) => `The browser has ended (${how})`)
    this.gone = Promise.race([ended, page.gone]).then((how) => how + whyKilled())
  }

  /** Loads the page, once all observers are attached. */
  async begin(bootsUntil: number): Promise<void> {
    const { settings, pageUrl, sidecarUrl, figures, emit } = this.#given
    const { devtools, pid } = this.#browser
    if (figures) Object.assign(figures, { steps: this.#page.steps, memory: () => browserMemory(pid) })
    const { session, targetId } = this.#page
    this.#watch = await observePage({
      page: session,
      browser: devtools,
      targetId,
      origin: new URL(pageUrl).origin,
      isInspected: settings.inspect !== undefined,
      isEnding: () => this.#isEnding,
      onLine: (line) => {
        if (line.level === 'error') this.#lastError = line.text
        emit({ event: 'console', ...line })
        if (line.level === 'error' && NEEDS_ISOLATION.test(line.text)) this.#remindOfIsolation()
      },
      onNavigated: (url) => this.#fail(`The page has left for ${url}`),
      onReloaded: (url) => this.#onReloaded(url),
    })
    void this.gone.then(this.#fail)
    if (settings.inspect !== undefined) {
      const page = `127.0.0.1:${settings.inspect}/devtools/page/${targetId}`
      emit({ event: 'debugger', url: `devtools://devtools/bundled/inspector.html?ws=${page}` })
      keepBeating(sidecarUrl, this.#over.signal)
    }
    this.#page.load(pageUrl).catch((error: unknown) => this.#fail((error as Error).message))
    void this.#superviseLife(bootsUntil)
  }

  /** Tells the page to end, see `HostedPage`. */
  shutdown(signal: string, patience: number, clientPatience: number): Promise<EndWait> {
    this.#isEnding = true
    return this.#page.shutdown(signal, patience, clientPatience)
  }

  async close(atOnce?: boolean): Promise<void> {
    this.#over.abort()
    await this.#browser.close(atOnce)
    this.#watch?.end()
    this.#watch?.flush()
  }

  readonly #warn = (text: string): void => this.#given.emit({ event: 'warning', text })

  readonly #fail = (reason: string): void => this.#endWith({ reason, code: CRASHED, mayStartAgain: true })

  /** Writes first how many console lines were left out. */
  #endWith(end: GameEnd): void {
    if (this.#over.signal.aborted) return
    this.#watch?.flush()
    this.#end(end)
  }

  #remindOfIsolation(): void {
    if (!this.#given.isIsolated && !this.#lacksIsolation) this.#warn(ISOLATE)
    this.#lacksIsolation = !this.#given.isIsolated
  }

  #onReloaded(url: string): void {
    // Some builds reload themselves once before they begin, such as those with a service worker.
    if (this.#hasBooted) this.#fail(`The page has loaded itself again: ${url}`)
    else if (!this.#hasReloaded) this.#warn(`The page has loaded itself again before its first step: ${url}`)
    this.#hasReloaded = true
  }

  async #superviseLife(bootsUntil: number): Promise<void> {
    const { settings, emit, began, wasReady } = this.#given
    const { signal } = this.#over
    const isInTime = await resolvesWithin(this.#page.booted, bootsUntil - performance.now(), signal)
    if (signal.aborted) return
    if (!isInTime) return this.#endWith(await this.#describeNoBoot())
    this.#hasBooted = true
    emit({ event: 'booted', ms: Math.round(performance.now() - began) })
    warnOfMissingReady(wasReady, settings.bootTimeout / 2, this.#warn, signal)
    const hang = await watchForHang(this.#page, limitOf(settings, 'hangTimeout'), signal)
    if (hang === undefined) return
    const stack = hang.isBusy ? await this.#stack() : ''
    this.#endWith({ reason: hang.reason, code: CRASHED, stack, mayStartAgain: true })
  }

  async #describeNoBoot(): Promise<GameEnd> {
    const isBusy = await this.#page.ticks(BUSY_MS).then(
      () => false,
      () => true,
    )
    const error = this.#lastError?.split('\n')[0]
    const why = error !== undefined ? `; its last error: ${error}` : isBusy ? '' : NO_STEP
    const fix = this.#lacksIsolation ? `. ${ISOLATE}` : ''
    const reason = `The page has made no step within ${this.#given.settings.bootTimeout} ms${why}${fix}`
    return { reason, code: BOOT_TIMEOUT, stack: isBusy ? await this.#stack() : '' }
  }

  readonly #stack = async (): Promise<string> => (await this.#page.stack()).join('\n')
}

const PERIOD_MS = 1_000

/** Beats in place of a page that may stand at a breakpoint, until the signal comes. */
function keepBeating(sidecarUrl: string, signal: AbortSignal): void {
  const beat = (): void => void callSidecar(sidecarUrl, 'health', signal).catch(() => undefined)
  const timer = setInterval(beat, PERIOD_MS)
  signal.addEventListener('abort', () => clearInterval(timer))
}

/**
 * Looks each second whether the page still answers, and, once it has called `tick()`, whether the calls continue.
 * Resolves with the hang, or with undefined when the signal ends the watch or the page is gone.
 *
 * @param timeout ms of silence that count as a hang
 */
async function watchForHang(page: HostedPage, timeout: number, signal: AbortSignal) {
  const period = Math.min(PERIOD_MS, timeout)
  let ticks = 0
  let tickedAt = performance.now()
  for (let asked = tickedAt; !signal.aborted; asked = performance.now()) {
    const seen = await page.ticks(timeout).catch(() => undefined)
    const now = performance.now()
    if (signal.aborted) return undefined
    const hasStoodStill = now - asked > 2 * timeout
    if (seen === undefined) {
      // A command fails at once after a crash, which other code reports, and late after this machine stood still.
      const isHang = now - asked >= timeout - 1 && !hasStoodStill
      if (isHang) return { reason: `The page has not answered for ${timeout} ms`, isBusy: true }
    } else if (seen !== ticks || hasStoodStill) {
      ticks = seen
      tickedAt = now
    } else if (ticks > 0 && now - tickedAt > timeout) {
      const reason = `The page answers, but gameServerHost.tick() has not been called for ${timeout} ms`
      return { reason, isBusy: false }
    }
    await sleep(period, undefined, { signal }).catch(() => undefined)
    // While this machine stood still, the page could do nothing either.
    if (performance.now() - now > period + timeout) tickedAt = performance.now()
  }
  return undefined
}

/**
 * Warns once if a running game doesn't call `ready()`: otherwise everything looks well, but
 * the platform never sends a player. A game may wait on purpose, so this is only a warning.
 */
function warnOfMissingReady(
  wasReady: () => boolean,
  after: number,
  warn: (text: string) => void,
  signal: AbortSignal,
): void {
  const remind = (): void => {
    if (wasReady()) return
    warn(
      `The game runs, but has not called ready() within ${after} ms of its first step. Players are sent to it only after ` +
        'that: call createClient({ autoHealth: true }).ready() when it can take them',
    )
  }
  sleep(after, undefined, { signal, ref: false }).then(remind, () => undefined)
}

/** Whether a promise resolves within `ms`, and before the signal comes. */
async function resolvesWithin(promise: Promise<unknown>, ms: number, signal: AbortSignal): Promise<boolean> {
  const stop = new AbortController()
  const late = sleep(Math.max(0, ms), false, { signal: AbortSignal.any([signal, stop.signal]) }).catch(() => false)
  const inTime = await Promise.race([promise.then(() => true), late])
  stop.abort()
  return inTime
}
