import type { DevtoolsPipe, DevtoolsSession } from '../browser/devtools.js'
import { createConsoleLines, followConsole, type ConsoleSession } from './console-lines.js'
import type { ConsoleLine } from '../../local/game.js'
import { createSourceMaps, MAX_SCRIPTS } from './source-maps.js'

export interface ObservePageOptions {
  /** The page's session. Must not send `Runtime.enable` or `Log.enable`: others read the console. */
  readonly page: DevtoolsSession
  readonly browser: DevtoolsPipe
  /** Of the page itself. */
  readonly targetId: string
  /** Of the gateway. */
  readonly origin: string
  /** A person may stop the page in DevTools. */
  readonly isInspected: boolean
  isEnding(): boolean
  onLine(line: ConsoleLine): void
  /** The page has left the gateway. */
  onNavigated(url: string): void
  /** The page was loaded once more. */
  onReloaded(url: string): void
}

/** A function in which a page was stopped; lines and columns count from 0. */
export interface PausedFrame {
  readonly functionName: string
  readonly location: { readonly scriptId: string; readonly lineNumber: number; readonly columnNumber?: number }
}

/** A page, as the browser shows it from outside. */
export type PageObservation = Awaited<ReturnType<typeof observePage>>

/** Prepares a page before it is loaded: reports its console, answers dialogs, notices navigation. */
export async function observePage(options: ObservePageOptions) {
  const { page, browser, targetId, origin, isInspected, isEnding, onLine } = options
  const sourceMaps = createSourceMaps(origin)
  const lines = createConsoleLines({ onLine, sourceMaps, origin, isEnding })

  const attach = async (): Promise<ConsoleSession> => {
    const target = { targetId, flatten: true }
    const { sessionId } = await browser.send<{ sessionId: string }>('Target.attachToTarget', target)
    return { session: browser.session(sessionId), detach: () => browser.send('Target.detachFromTarget', { sessionId }) }
  }

  /** Each thread has one session, which is no longer read once the thread floods its console. */
  const onThread = async (attached: ConsoleSession, ended: Promise<void>): Promise<void> => {
    const { session } = attached
    const sessions = [attached]
    session.send('Debugger.enable').catch(ignore)
    const ends = [sourceMaps.follow(session), ignoreBreakpoints(session, isInspected)]
    ends.push(await followConsole(() => Promise.resolve(sessions.pop()), lines))
    await ended
    for (const end of ends) end()
  }

  sourceMaps.follow(page)
  /** URLs of the page's scripts by their numbers. A page may create any number of scripts. */
  const urls = new Map<string, string>()
  page.on<{ scriptId: string; url: string }>('Debugger.scriptParsed', ({ scriptId, url }) => {
    if (url !== '' && urls.size < MAX_SCRIPTS) urls.set(scriptId, url)
  })
  const [endConsole] = await Promise.all([
    followConsole(attach, lines),
    followThreads(page, browser.session, onThread),
    setTraps(options, (text) => lines.write({ level: 'warn', text })),
  ])

  return {
    /** The stack of a stopped page, in lines such as `at step (src/game.ts:12:5)`. */
    describePaused: (frames: readonly PausedFrame[]): Promise<string[]> =>
      sourceMaps.describeCallFrames(
        frames.map(({ functionName, location: { scriptId, lineNumber, columnNumber = 0 } }) => {
          return { functionName, url: urls.get(scriptId) ?? '', lineNumber, columnNumber }
        }),
      ),
    /** Resolves when every line that has come so far is written. */
    flush: lines.flush,
    close: endConsole,
  }
}

interface Attached {
  readonly sessionId: string
}

/** A page may start any number of workers. */
const MAX_THREADS = 100

/** Attaches to the page's workers and to its frames of other origins, and to those that they start. */
async function followThreads(
  page: DevtoolsSession,
  sessionOf: (sessionId: string) => DevtoolsSession,
  onThread: (attached: ConsoleSession, ended: Promise<void>) => Promise<void>,
): Promise<void> {
  const threads = new Map<string, () => void>()

  const follow = async (parent: DevtoolsSession, parentEnded?: Promise<void>): Promise<void> => {
    const listeners = [
      parent.on<Attached>('Target.attachedToTarget', ({ sessionId }) => {
        const detach = (): Promise<unknown> => parent.send('Target.detachFromTarget', { sessionId })
        if (threads.size >= MAX_THREADS) return void detach().catch(ignore)
        const session = sessionOf(sessionId)
        const ended = new Promise<void>((resolve) => threads.set(sessionId, resolve))
        void onThread({ session, detach }, ended)
        follow(session, ended).catch(ignore)
      }),
      parent.on<Attached>('Target.detachedFromTarget', ({ sessionId }) => {
        threads.get(sessionId)?.()
        threads.delete(sessionId)
      }),
    ]
    void parentEnded?.then(() => listeners.forEach((end) => end()))
    await parent.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true })
  }
  await follow(page)
}

interface Dialog {
  readonly type: string
  readonly message: string
}

interface Frame {
  readonly id: string
  readonly parentId?: string
  readonly url: string
  /** The URL that failed to load, if the browser shows its own error page. */
  readonly unreachableUrl?: string
}

interface TargetInfo {
  readonly targetId: string
  readonly type: string
  readonly url: string
}

const LONGEST = 300

/**
 * Answers dialogs, which would wait for a person, and reports a page that navigates away.
 *
 * @param onWarning the page did something useless on a server; takes what that was, and how the host answered
 */
async function setTraps(
  { page, browser, targetId, origin, isInspected, onNavigated, onReloaded }: ObservePageOptions,
  onWarning: (text: string) => void,
): Promise<void> {
  let hasLoaded = false

  page.on<Dialog>('Page.javascriptDialogOpening', ({ type, message }) => {
    // Accepts alerts, and answers questions with no.
    const accept = type === 'alert' || type === 'beforeunload'
    page.send('Page.handleJavaScriptDialog', { accept }).catch(ignore)
    const answer = accept ? 'accepted' : 'cancelled'
    onWarning(`The page opened a dialog, which was ${answer} since nobody is here: ${type} ${quote(message)}`)
  })

  page.on<{ frame: Frame }>('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId !== undefined || (!hasLoaded && frame.url === 'about:blank')) return
    const url = frame.unreachableUrl ?? frame.url
    const isInside = frame.unreachableUrl === undefined && url.startsWith(`${origin}/`)
    if (!isInside) onNavigated(shorten(url))
    else if (hasLoaded) onReloaded(shorten(url))
    hasLoaded = true
  })

  const closeOther = ({ targetInfo }: { targetInfo: TargetInfo }): void => {
    if (targetInfo.type !== 'page' || targetInfo.targetId === targetId) return
    browser.send('Target.closeTarget', { targetId: targetInfo.targetId }).catch(ignore)
    onWarning(
      `The page opened a window, which was closed since nobody sees it: ${shorten(targetInfo.url) || 'about:blank'}`,
    )
  }
  browser.on('Target.targetCreated', closeOther)

  browser.on<{ url: string; suggestedFilename: string }>('Browser.downloadWillBegin', ({ url, suggestedFilename }) => {
    onWarning(`The page began a download, which was refused: ${quote(suggestedFilename)} of ${shorten(url)}`)
  })

  ignoreBreakpoints(page, isInspected)
  await Promise.all([
    page.send('Page.setInterceptFileChooserDialog', { enabled: true, cancel: true }).catch(ignore),
    browser.send('Target.setDiscoverTargets', { discover: true }),
    browser.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true }).catch(ignore),
    // Refuses every permission that a page could ask a person for.
    browser.send('Browser.grantPermissions', { permissions: [] }).catch(ignore),
  ])
}

/**
 * With the debugger on, a `debugger` statement would stop the thread. `Debugger.pause` still works for the stack of a hang,
 * but not where a person may stop the thread: this session would be stopped too, and resume.
 */
function ignoreBreakpoints(session: DevtoolsSession, isInspected: boolean): () => void {
  session.send('Debugger.setBreakpointsActive', { active: false }).catch(ignore)
  if (isInspected) session.send('Debugger.setSkipAllPauses', { skip: true }).catch(ignore)
  return session.on('Debugger.paused', () => void session.send('Debugger.resume').catch(ignore))
}

const shorten = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)
const quote = (text: string): string => JSON.stringify(shorten(text))

const ignore = (): void => undefined
