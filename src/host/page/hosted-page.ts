import { setTimeout as sleep } from 'node:timers/promises'
import { longestTimer } from '../../protocol/names.js'
import type { ConsoleLine } from '../../local/game.js'
import type { EndWait, HostConfig } from '../page-script/page.js'
import { script } from '../page-script/index.ts?script'
import type { DevtoolsPipe, PageSession } from '../browser/devtools.js'
import { HostError } from '../host-error.js'
import { describeFrames, PageConsole, type CallFrame } from './console-lines.js'

export interface HostedPageOptions {
  readonly url: string
  readonly config: HostConfig
  /** A person may stop the page in DevTools. */
  readonly isInspected: boolean
  onLine(line: ConsoleLine): void
  /** The page has left the gateway. */
  onNavigated(url: string): void
  /** The page was loaded once more. */
  onReloaded(url: string): void
}

/** The steps of a page, as `tick()` told them. */
export interface StepFigures {
  count: number
  /** The longest time between two steps in each of the last readings, ms. */
  readonly longest: Float64Array
}

/** Readings come once a second: those of a minute, which no scrape misses. */
const KEPT_READINGS = 60

interface TargetInfo {
  readonly targetId: string
  readonly type: string
  readonly url: string
}

interface Frame {
  readonly parentId?: string
  readonly url: string
  /** The URL that failed to load, if the browser shows its own error page. */
  readonly unreachableUrl?: string
}

/** A function in which a page was stopped. */
interface PausedFrame {
  readonly functionName: string
  readonly location: { readonly scriptId: string; readonly lineNumber: number; readonly columnNumber: number }
}

const ASK_AGAIN_MS = 20
const STACK_MS = 1_000
/** A page may create any number of scripts. The build's come first. */
const MOST_SCRIPTS = 1_000
const HOST = "globalThis[Symbol.for('gameserver-sidecar.host')]"

/** Attaches to the page that the browser has opened, and prepares it. Nothing is loaded yet. */
export async function openHostedPage(browser: DevtoolsPipe, options: HostedPageOptions): Promise<HostedPage> {
  const { targetInfos } = await browser.send<{ targetInfos: readonly TargetInfo[] }>('Target.getTargets')
  const target = targetInfos.find(({ type }) => type === 'page')
  if (target === undefined) throw new HostError('LAUNCH_FAILED', 'The browser has opened no page.')
  const { targetId } = target
  const page = new HostedPage(browser, targetId, await browser.attach(targetId), options)
  await page.prepare()
  return page
}

/** The page in which the game runs. Nobody looks at it, so the host answers what would wait for a person. */
export class HostedPage {
  readonly targetId: string
  readonly steps: StepFigures = { count: 0, longest: new Float64Array(KEPT_READINGS) }
  /** Resolves with what happened when the page crashes or closes itself. */
  readonly gone: Promise<string>
  readonly #browser: DevtoolsPipe
  /** Must not send `Runtime.enable` or `Log.enable`: another session reads the console. */
  readonly #session: PageSession
  readonly #options: HostedPageOptions
  /** The URLs of its scripts, by their ids. */
  readonly #urls = new Map<string, string>()
  readonly #console: PageConsole
  #readings = 0
  #hasLoaded = false
  #isEnding = false
  #isOver = false

  constructor(browser: DevtoolsPipe, targetId: string, session: PageSession, options: HostedPageOptions) {
    this.#browser = browser
    this.targetId = targetId
    this.#session = session
    this.#options = options
    this.#console = new PageConsole({
      attach: () => browser.attach(targetId),
      onLine: (line) => options.onLine(line),
      origin: new URL(options.url).origin,
      isEnding: () => this.#isEnding,
    })
    this.gone = new Promise((resolve) => {
      browser.on<{ targetId: string; status: string; errorCode: number }>('Target.targetCrashed', (crash) => {
        if (crash.targetId === targetId) resolve(describePageCrash(crash.status, crash.errorCode))
      })
      browser.on<{ targetId: string }>('Target.targetDestroyed', (destroyed) => {
        if (destroyed.targetId === targetId) resolve('The page has closed itself')
      })
    })
    session.on<{ scriptId: string; url: string }>('Debugger.scriptParsed', ({ scriptId, url }) => {
      if (this.#urls.size < MOST_SCRIPTS) this.#urls.set(scriptId, url)
    })
    session.on('Debugger.paused', () => void session.send('Debugger.resume').catch(ignore))
    session.on<{ frame: Frame }>('Page.frameNavigated', ({ frame }) => this.#followNavigation(frame))
    session.on<{ type: string; message: string }>('Page.javascriptDialogOpening', ({ type, message }) =>
      this.#answerDialog(type, message),
    )
  }

  /** Puts the host's script into the page, follows its console, and denies what a person would have to allow. */
  async prepare(): Promise<void> {
    const { config, isInspected } = this.#options
    const browser = this.#browser
    const session = this.#session
    const source = `(function (hostConfig) { ${script} })(${JSON.stringify(config)})`
    await Promise.all([
      browser.send('Target.setDiscoverTargets', { discover: true }),
      session.send('Page.enable'),
      session.send('Page.addScriptToEvaluateOnNewDocument', { source }),
      // The debugger must be on before a hang, so that the host can read the stack.
      session.send('Debugger.enable'),
    ])
    browser.on<{ targetInfo: TargetInfo }>('Target.targetCreated', ({ targetInfo }) => this.#closeWindow(targetInfo))
    await this.#console.read()
    // With the debugger on, a `debugger` statement would stop the page. `Debugger.pause` still works for the stack of a
    // hang, but not where a person may stop the page: this session would be stopped too, and resume.
    session.send('Debugger.setBreakpointsActive', { active: false }).catch(ignore)
    if (isInspected) session.send('Debugger.setSkipAllPauses', { skip: true }).catch(ignore)
    await Promise.all([
      browser.send('Browser.setDownloadBehavior', { behavior: 'deny' }).catch(ignore),
      // Refuses every permission that a page could ask a person for.
      browser.send('Browser.grantPermissions', { permissions: [] }).catch(ignore),
    ])
  }

  /** Loads the page. Resolves when the page makes its first step. @throws HostError CRASHED if it can't be loaded */
  async load(): Promise<void> {
    const { url } = this.#options
    const { errorText } = await this.#session.send<{ errorText?: string }>('Page.navigate', { url }, 60_000)
    if (errorText !== undefined) throw new HostError('CRASHED', `The page ${url} can't be loaded: ${errorText}.`)
    // A reload drops the promise of the first step and makes a new one. The caller has its own timeout.
    while (!this.#isOver) {
      const hasBooted = await this.#evaluate(`${HOST}?.booted.then(() => true)`, longestTimer).catch(() => false)
      if (hasBooted) return
      await sleep(ASK_AGAIN_MS, undefined, { ref: false })
    }
  }

  /** How often `tick()` was called. @param deadline ms within which the page must answer */
  async ticks(deadline: number): Promise<number> {
    const read = `${HOST}?.takeSteps() ?? [0, 0]`
    const [count, longest] = (await this.#evaluate(read, deadline)) as [number, number]
    this.steps.count = count
    this.steps.longest[this.#readings++ % KEPT_READINGS] = longest
    return count
  }

  /** Stops a busy page. Resolves with its stack, a line for each function; empty if it can't be stopped. */
  async stack(): Promise<string> {
    let forget!: () => void
    const paused = new Promise<readonly PausedFrame[]>((resolve) => {
      forget = this.#session.on<{ callFrames: readonly PausedFrame[] }>('Debugger.paused', ({ callFrames }) =>
        resolve(callFrames),
      )
    })
    this.#session.send('Debugger.pause', {}, STACK_MS).catch(ignore)
    const frames = await Promise.race([paused, sleep(STACK_MS, [], { ref: false })])
    forget()
    const placed = frames.map(({ functionName, location: { scriptId, ...place } }): CallFrame => {
      return { functionName, url: this.#urls.get(scriptId) ?? '', ...place }
    })
    return describeFrames(placed).join('\n')
  }

  /**
   * Tells the page to end. Resolves when the page has finished its own work, with what the host still has to wait for.
   *
   * @param patience ms for a page that listens to `shutdown`
   * @param clientPatience ms for a page that listens only to its clients
   */
  async shutdown(signal: string, patience: number, clientPatience: number): Promise<EndWait> {
    this.#isEnding = true
    const now = Date.now()
    const args = `${JSON.stringify(signal)}, ${now + patience}, ${now + clientPatience}`
    return (await this.#evaluate(`${HOST}?.shutdown(${args}) ?? 'shutdown'`, patience)) as EndWait
  }

  /** Writes how many lines of the console were left out so far. */
  flush(): void {
    this.#console.flush()
  }

  /** Reads nothing more of a page whose browser has ended. */
  end(): void {
    this.#isOver = true
    this.#console.end()
  }

  async #evaluate(expression: string, deadline: number): Promise<unknown> {
    const params = { expression, returnByValue: true, awaitPromise: true }
    const { result } = await this.#session.send<{ result: { value?: unknown } }>('Runtime.evaluate', params, deadline)
    return result.value
  }

  #followNavigation({ parentId, url, unreachableUrl }: Frame): void {
    if (parentId !== undefined || (!this.#hasLoaded && url === 'about:blank')) return
    const { onNavigated, onReloaded } = this.#options
    const isGateway = url.startsWith(`${new URL(this.#options.url).origin}/`)
    if (unreachableUrl !== undefined || !isGateway) onNavigated(shorten(unreachableUrl ?? url))
    else if (this.#hasLoaded) onReloaded(shorten(url))
    this.#hasLoaded = true
  }

  /** Accepts alerts, and answers questions with no. */
  #answerDialog(type: string, message: string): void {
    const accept = type === 'alert' || type === 'beforeunload'
    this.#session.send('Page.handleJavaScriptDialog', { accept }).catch(ignore)
    const answer = accept ? 'accepted' : 'cancelled'
    const text = JSON.stringify(shorten(message))
    this.#warn(`The page opened a dialog, which was ${answer} since nobody is here: ${type} ${text}`)
  }

  #closeWindow({ type, targetId, url }: TargetInfo): void {
    if (type !== 'page' || targetId === this.targetId) return
    this.#browser.send('Target.closeTarget', { targetId }).catch(ignore)
    this.#warn(`The page opened a window, which was closed since nobody sees it: ${shorten(url) || 'about:blank'}`)
  }

  /** A line under the limits of the console: a page may open any number of dialogs. */
  #warn(text: string): void {
    this.#console.write('warn', text)
  }
}

/** The browser's status and code in words. */
function describePageCrash(status: string, code: number): string {
  if (status === 'oom' || code === 5) return 'The page has run out of memory'
  return `The page has crashed (${status}, code ${code})`
}

const LONGEST = 300
const shorten = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)

const ignore = (): void => undefined
