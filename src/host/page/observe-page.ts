import type { DevtoolsPipe, DevtoolsSession } from '../browser/devtools.js'
import { followConsole, type FollowConsoleOptions } from './console-lines.js'

export interface ObservePageOptions extends Omit<FollowConsoleOptions, 'attach'> {
  /** The page's session. Must not send `Runtime.enable` or `Log.enable`: another session reads the console. */
  readonly page: DevtoolsSession
  readonly browser: DevtoolsPipe
  /** Of the page itself. */
  readonly targetId: string
  /** A person may stop the page in DevTools. */
  readonly isInspected: boolean
  /** The page has left the gateway. */
  onNavigated(url: string): void
  /** The page was loaded once more. */
  onReloaded(url: string): void
}

/** A page, as the browser shows it from outside. */
export type PageObservation = Awaited<ReturnType<typeof observePage>>

/** Prepares a page before it is loaded: reports its console, answers dialogs, notices navigation. */
export async function observePage(options: ObservePageOptions) {
  const { browser, targetId } = options
  const attach = async () => {
    const target = { targetId, flatten: true }
    const { sessionId } = await browser.send<{ sessionId: string }>('Target.attachToTarget', target)
    return { session: browser.session(sessionId), detach: () => browser.send('Target.detachFromTarget', { sessionId }) }
  }
  const lines = await followConsole({ ...options, attach })
  await setTraps(options, (text) => lines.write('warn', text))
  return lines
}

interface Frame {
  readonly parentId?: string
  readonly url: string
  /** The URL that failed to load, if the browser shows its own error page. */
  readonly unreachableUrl?: string
}

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

  page.on<{ type: string; message: string }>('Page.javascriptDialogOpening', ({ type, message }) => {
    // Accepts alerts, and answers questions with no.
    const accept = type === 'alert' || type === 'beforeunload'
    page.send('Page.handleJavaScriptDialog', { accept }).catch(ignore)
    const answer = accept ? 'accepted' : 'cancelled'
    const text = JSON.stringify(shorten(message))
    onWarning(`The page opened a dialog, which was ${answer} since nobody is here: ${type} ${text}`)
  })

  page.on<{ frame: Frame }>('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId !== undefined || (!hasLoaded && frame.url === 'about:blank')) return
    const url = shorten(frame.unreachableUrl ?? frame.url)
    if (frame.unreachableUrl !== undefined || !frame.url.startsWith(`${origin}/`)) onNavigated(url)
    else if (hasLoaded) onReloaded(url)
    hasLoaded = true
  })

  type Target = { readonly targetId: string; readonly type: string; readonly url: string }
  browser.on<{ targetInfo: Target }>('Target.targetCreated', ({ targetInfo }) => {
    if (targetInfo.type !== 'page' || targetInfo.targetId === targetId) return
    browser.send('Target.closeTarget', { targetId: targetInfo.targetId }).catch(ignore)
    const url = shorten(targetInfo.url) || 'about:blank'
    onWarning(`The page opened a window, which was closed since nobody sees it: ${url}`)
  })

  // With the debugger on, a `debugger` statement would stop the page. `Debugger.pause` still works for the stack of a
  // hang, but not where a person may stop the page: this session would be stopped too, and resume.
  page.send('Debugger.setBreakpointsActive', { active: false }).catch(ignore)
  if (isInspected) page.send('Debugger.setSkipAllPauses', { skip: true }).catch(ignore)
  page.on('Debugger.paused', () => void page.send('Debugger.resume').catch(ignore))

  await Promise.all([
    browser.send('Browser.setDownloadBehavior', { behavior: 'deny' }).catch(ignore),
    // Refuses every permission that a page could ask a person for.
    browser.send('Browser.grantPermissions', { permissions: [] }).catch(ignore),
  ])
}

const LONGEST = 300
const shorten = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)

const ignore = (): void => undefined
