import { setTimeout as sleep } from 'node:timers/promises'
import { longestTimer } from '../protocol/names.js'
import { operations } from '../protocol/operations.js'
import type { InnerGateway } from '../local/gateway.js'
import type { HostConfig } from './page-script/page.js'
import type { Browser } from './browser/launch-browser.js'
import { HOST_EXIT_CODES } from './host-error.js'
import type { HostEvent } from './host-events.js'
import type { HostFigures } from './host-metrics.js'
import type { HostSettings } from './host-options.js'
import { openHostedPage, type HostedPage } from './page/hosted-page.js'
import { browserMemory, watchForKills } from './browser/memory.js'
import type { PlayersPort } from './players/players-port.js'
import type { GameEnd, GameRun, Readiness } from './supervise.js'

export interface RunPageOptions {
  readonly settings: HostSettings
  readonly browser: Promise<Browser>
  readonly pageUrl: string
  readonly config: HostConfig
  readonly players: PlayersPort
  readonly gateway: InnerGateway
  /** Whether the page is isolated from other origins, as SharedArrayBuffer needs. */
  readonly isIsolated: boolean
  /** Takes the page's figures, where they are wanted. */
  readonly figures: HostFigures | undefined
  /** When the host began, by `performance.now()`. */
  readonly began: number
  readonly emit: (event: HostEvent) => void
  readonly readiness: Readiness
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

/** Of the grace period, the time reserved for the sidecar, the players and the browser. */
const RESERVE_MS = 2_000
/** A page that listens only to its clients' `signal` or `ending` events has this long, as behind the gateway. */
const CLIENT_MS = 5_000
/** The sidecar's share of the reserve. At the same time, players and the browser have one second each. */
const SIDECAR_MS = 800
/** Always enough time for a call to a sidecar on this machine. */
const LEAST_MS = 50

/** A page at a breakpoint may be silent for any time. */
const limitOf = (settings: HostSettings, name: 'bootTimeout' | 'hangTimeout'): number =>
  settings.inspect === undefined ? settings[name] : longestTimer

/** Loads the page into a browser and watches over it. @throws HostError LAUNCH_FAILED */
export async function startPage(given: RunPageOptions): Promise<PageRun> {
  const bootsUntil = performance.now() + limitOf(given.settings, 'bootTimeout')
  const whyKilled = watchForKills()
  const browser = await given.browser
  const { pid, version, sandbox } = browser
  given.emit({ event: 'browser', pid, version, sandbox })
  const run = new PageRun(given, browser)
  try {
    await run.begin(bootsUntil, whyKilled)
    return run
  } catch (error) {
    await browser.close()
    throw error
  }
}

/** A page in its browser, from the start to the end. */
export class PageRun implements GameRun {
  readonly ended: Promise<GameEnd>
  readonly #given: RunPageOptions
  readonly #browser: Browser
  /** Aborted when the watch over the page ends. */
  readonly #over = new AbortController()
  #tellEnd!: (end: GameEnd) => void
  #page!: HostedPage
  /** Resolves with the reason when the page has crashed, or the browser has ended. */
  #gone!: Promise<string>
  #hasBooted = false
  #hasReloaded = false
  #lastError: string | undefined
  #lacksIsolation = false

  constructor(given: RunPageOptions, browser: Browser) {
    this.#given = given
    this.#browser = browser
    this.ended = new Promise((resolve) => (this.#tellEnd = resolve))
  }

  /** Loads the page, once all observers are attached. */
  async begin(bootsUntil: number, whyKilled: () => string): Promise<void> {
    const { settings, pageUrl, config, gateway, figures, emit } = this.#given
    const { devtools, pid, ended } = this.#browser
    const page = (this.#page = await openHostedPage(devtools, {
      url: pageUrl,
      config,
      isInspected: settings.inspect !== undefined,
      onLine: (line) => {
        emit({ event: 'console', ...line })
        if (line.level === 'error') this.#onError(line.text)
      },
      onNavigated: (url) => this.#fail(`The page has left for ${url}`),
      onReloaded: (url) => this.#onReloaded(url),
    }))
    if (figures) Object.assign(figures, { steps: page.steps, memory: () => browserMemory(pid) })
    const hasEnded = ended.then((how) => `The browser has ended (${how})`)
    this.#gone = Promise.race([hasEnded, page.gone]).then((how) => how + whyKilled())
    void this.#gone.then(this.#fail)
    if (settings.inspect !== undefined) {
      const address = `127.0.0.1:${settings.inspect}/devtools/page/${page.targetId}`
      emit({ event: 'debugger', url: `devtools://devtools/bundled/inspector.html?ws=${address}` })
      keepBeating(gateway.sidecarUrl, this.#over.signal)
    }
    void this.#superviseLife(bootsUntil)
  }

  /**
   * Tells the page that it ends and gives it its share of the time. Then it tells the players, and the sidecar unless the
   * page has done so. The browser stays open.
   */
  async end(signal: string): Promise<void> {
    const { settings, players, gateway } = this.#given
    const { grace } = settings
    const share = Math.max(grace - RESERVE_MS, Math.floor(grace / 4))
    const until = performance.now() + share
    players.refuse()
    // A page that crashes while it ends never answers.
    const gone = this.#gone.then((how) => ({ how }))
    const wait = await Promise.race([
      this.#page.shutdown(signal, share, Math.min(share, CLIENT_MS)).catch(() => undefined),
      gone,
    ])
    const left = until - performance.now()
    if (typeof wait === 'object') this.#warn(`The page was not done: ${wait.how}`)
    else if (wait === undefined) {
      // A call to a closed page fails before its timeout.
      if (left <= 1) this.#warn(`The page was not done within its ${share} ms`)
    } else if (wait !== 'nothing') {
      await Promise.race([gateway.tellSignal(signal, Math.min(left, CLIENT_MS), wait === 'calls'), gone])
    }
    players.closeAll(1001, 'The server is stopping')
    if (gateway.wasShutDown) return
    const most = Math.max(LEAST_MS, Math.min(SIDECAR_MS, (grace - share) / 2))
    await callSidecar(gateway.sidecarUrl, 'shutdown', AbortSignal.timeout(most)).catch((error: unknown) =>
      this.#warn(`The sidecar could not be told to shut down: ${describe(error as Error)}`),
    )
  }

  async close(atOnce?: boolean): Promise<void> {
    this.#over.abort()
    await this.#browser.close(atOnce)
    this.#page.end()
    this.#page.flush()
  }

  readonly #warn = (text: string): void => this.#given.emit({ event: 'warning', text })

  readonly #fail = (reason: string): void => this.#endWith({ reason, code: CRASHED, mayStartAgain: true })

  /** Writes first how many console lines were left out. */
  #endWith(end: GameEnd): void {
    if (this.#over.signal.aborted) return
    this.#page.flush()
    this.#tellEnd(end)
  }

  #onError(text: string): void {
    this.#lastError = text
    if (this.#given.isIsolated || this.#lacksIsolation || !NEEDS_ISOLATION.test(text)) return
    this.#lacksIsolation = true
    this.#warn(ISOLATE)
  }

  #onReloaded(url: string): void {
    // Some builds reload themselves once before they begin, such as those with a service worker.
    if (this.#hasBooted) this.#fail(`The page has loaded itself again: ${url}`)
    else if (!this.#hasReloaded) this.#warn(`The page has loaded itself again before its first step: ${url}`)
    this.#hasReloaded = true
  }

  async #superviseLife(bootsUntil: number): Promise<void> {
    const { settings, emit, began } = this.#given
    const { signal } = this.#over
    let isInTime: boolean
    try {
      isInTime = await resolvesWithin(this.#page.load(), bootsUntil - performance.now(), signal)
    } catch (error) {
      return this.#fail((error as Error).message)
    }
    if (signal.aborted) return
    if (!isInTime) return this.#endWith(await this.#describeNoBoot())
    this.#hasBooted = true
    emit({ event: 'booted', ms: Math.round(performance.now() - began) })
    void this.#remindOfReady(settings.bootTimeout / 2)
    const hang = await watchForHang(this.#page, limitOf(settings, 'hangTimeout'), signal)
    if (hang === undefined) return
    const stack = hang.isBusy ? await this.#page.stack() : ''
    this.#endWith({ reason: hang.reason, code: CRASHED, stack, mayStartAgain: true })
  }

  /**
   * Warns once if a running game doesn't call `ready()`: otherwise everything looks well, but
   * the platform never sends a player. A game may wait on purpose, so this is only a warning.
   */
  async #remindOfReady(after: number): Promise<void> {
    const { signal } = this.#over
    await sleep(after, undefined, { signal, ref: false }).catch(() => undefined)
    if (signal.aborted || this.#given.readiness.wasReady) return
    this.#warn(
      `The game runs, but has not called ready() within ${after} ms of its first step. Players are sent to it only after ` +
        'that: call createClient({ autoHealth: true }).ready() when it can take them',
    )
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
    return { reason, code: BOOT_TIMEOUT, stack: isBusy ? await this.#page.stack() : '' }
  }
}

const PERIOD_MS = 1_000

/** Calls the sidecar in place of the page. @throws Error for no answer, and for a refusal */
async function callSidecar(sidecarUrl: string, name: 'health' | 'shutdown', signal: AbortSignal): Promise<void> {
  const [method, path] = operations[name]
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(sidecarUrl + path, { method, headers, body: '{}', signal })
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`it has answered with status ${answer.status}`)
}

/** An error of `fetch` has its reason only in `cause`. */
const describe = ({ message, cause }: Error): string =>
  cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message

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

/** Whether a promise resolves within `ms`, and before the signal comes. */
async function resolvesWithin(promise: Promise<unknown>, ms: number, signal: AbortSignal): Promise<boolean> {
  const stop = new AbortController()
  const late = sleep(Math.max(0, ms), false, { signal: AbortSignal.any([signal, stop.signal]) }).catch(() => false)
  return Promise.race([promise.then(() => true), late]).finally(() => stop.abort())
}
